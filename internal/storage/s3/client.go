package s3

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"

	"avro2trevni/internal/storage"
)

// Options are how to reach S3. The zero value is the environment's configuration.
type Options struct {
	Endpoint  string        // URL of the service; default AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile's, else AWS
	Region    string        // default AWS_REGION, AWS_DEFAULT_REGION, the profile's, else us-east-1
	PathStyle string        // true or false: whether the bucket is in the path of the URL; default AWS_S3_FORCE_PATH_STYLE, else true if there is an endpoint
	Patience  time.Duration // how long a service that is away is waited for; default 2 minutes
	Stall     time.Duration // how long nothing may move on a connection; default 20 seconds
	PartSize  int64         // least bytes of a part, from 1; default 8 MiB. Services take no parts under 5 MiB, but the last
	Log       *slog.Logger  // default none
}

const (
	defaultPatience = 2 * time.Minute
	defaultStall    = 20 * time.Second
	defaultRegion   = "us-east-1"
	connections     = 128 // idle ones that are kept
)

// pathStyleVar is the variable of [Options].PathStyle.
const pathStyleVar = "AWS_S3_FORCE_PATH_STYLE"

// FS is one bucket.
type FS struct {
	ctx      context.Context
	bucket   string
	client   *s3.Client
	region   atomic.Pointer[string] // that the service named, if it differs
	sums     atomic.Int32           // index in algorithms of the first that the service may know
	patience time.Duration
	stall    time.Duration
	wait     time.Duration // after the first try of a request
	part     int64
	log      *slog.Logger
}

// Schemes are those of names that this package serves, with what follows them.
func Schemes() []string { return []string{"s3://", "s3a://"} }

// Serves reports whether a name is one of this package.
func Serves(name string) bool {
	for _, s := range Schemes() {
		if strings.HasPrefix(name, s) {
			return true
		}
	}
	return false
}

// Validate returns an error if an option has a wrong value.
func (o *Options) Validate() error {
	if o.Endpoint != "" {
		u, err := url.Parse(o.Endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("s3 endpoint %q: must be a URL, http://host:port or https://host", o.Endpoint)
		}
	}
	if o.PathStyle != "" {
		if _, err := strconv.ParseBool(o.PathStyle); err != nil {
			return fmt.Errorf("s3 path style %q: must be true or false", o.PathStyle)
		}
	}
	return nil
}

// New returns the bucket that a root such as s3://bucket names. It makes no request.
func New(ctx context.Context, root string, o *Options) (*FS, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	f := &FS{ctx: ctx, patience: o.Patience, stall: o.Stall, wait: firstWait, part: o.PartSize, log: o.Log}
	for _, s := range Schemes() {
		if rest, ok := strings.CutPrefix(root, s); ok {
			f.bucket = rest
		}
	}
	if f.bucket == "" {
		return nil, fmt.Errorf("s3: %s: names no bucket: write s3://bucket/key", root)
	}
	if f.patience == 0 {
		f.patience = defaultPatience
	}
	if f.stall == 0 {
		f.stall = defaultStall
	}
	if f.part == 0 {
		f.part = leastPart
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	conf, err := load(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("s3: configuration: %w", err)
	}
	f.client = s3.NewFromConfig(conf, o.apply)
	return f, nil
}

// load reads the environment's configuration, of files and variables.
func load(ctx context.Context, o *Options) (aws.Config, error) {
	hc := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConns, t.MaxIdleConnsPerHost = connections, connections
	})
	return config.LoadDefaultConfig(ctx,
		config.WithHTTPClient(hc), config.WithRegion(o.Region), config.WithDefaultRegion(defaultRegion),
		config.WithLogger(logging.Nop{}), config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
		config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired),
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired),
	)
}

// apply sets what the configuration leaves open.
func (o *Options) apply(c *s3.Options) {
	if o.Endpoint != "" {
		c.BaseEndpoint = aws.String(o.Endpoint)
	}
	c.UsePathStyle = c.BaseEndpoint != nil
	for _, text := range []string{os.Getenv(pathStyleVar), o.PathStyle} {
		if v, err := strconv.ParseBool(text); err == nil {
			c.UsePathStyle = v
		}
	}
	c.DisableLogOutputChecksumValidationSkipped = true
	c.RetryMaxAttempts = 1
	c.Retryer = aws.NopRetryer{}
}

// inRegion sends a request to the region that the service named.
func (f *FS) inRegion(o *s3.Options) {
	if r := f.region.Load(); r != nil {
		o.Region = *r
	}
}

// Close frees nothing: connections end by themselves.
func (f *FS) Close() error { return nil }

// uri returns the name of a key.
func (f *FS) uri(key string) string { return "s3://" + f.bucket + "/" + key }

// key returns the key of a name; "" for the bucket itself.
func key(name string) string {
	_, rest := storage.Split(name)
	return strings.TrimPrefix(path.Clean("/"+rest), "/")
}

// prefix returns what the keys below a folder begin with.
func prefix(key string) string {
	if key == "" {
		return ""
	}
	return key + "/"
}

var _ io.Closer = (*FS)(nil)
