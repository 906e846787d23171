package s3

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"avro2trevni/internal/storage"
)

// Waits between the tries of a request, each of them half fixed and half random.
const (
	firstWait = 200 * time.Millisecond
	lastWait  = 20 * time.Second
	quiet     = 3 // tries before the user hears of them
)

// cleanup is how long a request may take that is made when the context is done.
const cleanup = 30 * time.Second

// Errors of connections, which are tried again.
var (
	errStalled = errors.New("nothing came for too long")
	errShort   = errors.New("the answer ended early")
)

// try makes a request, and repeats it while the service is not available.
func (f *FS) try(op, key string, request func() error) error {
	deadline := time.Now().Add(f.patience)
	wait := f.wait
	for n := 1; ; n++ {
		err := request()
		if err == nil {
			return nil
		}
		if f.moved(err) {
			continue
		}
		if f.ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return context.Cause(f.ctx)
		}
		if !transient(err) {
			return f.explain(op, key, err)
		}
		if f.ctx.Err() != nil || time.Now().After(deadline) {
			return &fs.PathError{Op: op, Path: f.uri(key), Err: fmt.Errorf("%w: %w", storage.ErrUnavailable, reason(err))}
		}
		if n >= quiet {
			f.log.Warn("S3 is not available; trying again", "call", op, "name", f.uri(key), "error", reason(err))
		}
		select {
		case <-f.ctx.Done():
		case <-time.After(wait/2 + rand.N(wait/2)):
		}
		wait = min(2*wait, lastWait)
	}
}

// once returns the context of a request that is also made when that of the FS is done.
func (f *FS) once() (context.Context, context.CancelFunc) {
	ctx := context.WithoutCancel(f.ctx)
	if f.ctx.Err() != nil {
		return context.WithTimeout(ctx, cleanup)
	}
	return context.WithCancel(ctx)
}

// moved notes the region that an answer names, and reports whether it is another one.
func (f *FS) moved(err error) bool {
	var r *awshttp.ResponseError
	if !errors.As(err, &r) || r.Response == nil {
		return false
	}
	is := r.Response.Header.Get("X-Amz-Bucket-Region")
	switch r.HTTPStatusCode() {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusBadRequest:
	default:
		return false
	}
	if was := f.region.Load(); is == "" || was != nil || is == f.client.Options().Region {
		return false
	}
	f.region.Store(&is)
	return true
}

// status returns that of an answer, 0 if there was none.
func status(err error) int {
	var r *smithyhttp.ResponseError
	if errors.As(err, &r) && r.Response != nil {
		return r.HTTPStatusCode()
	}
	return 0
}

// code returns that of an error of S3, "" if there is none.
func code(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	return ""
}

// passing are codes of errors that pass, whatever their status.
var passing = map[string]bool{
	"RequestTimeout": true, "RequestTimeTooSkewed": true, "SlowDown": true, "InternalError": true, "ServiceUnavailable": true, "TooManyRequests": true,
	"Throttling": true, "ThrottlingException": true, "RequestLimitExceeded": true, "BandwidthLimitExceeded": true,
	"ConditionalRequestConflict": true, "Conflict": true, "OperationAborted": true, "BadDigest": true, "XAmzContentChecksumMismatch": true,
}

// transient reports whether a request may succeed if it is made again.
func transient(err error) bool {
	if errors.Is(err, errStalled) || errors.Is(err, errShort) {
		return true
	}
	if final(err) {
		return false
	}
	switch status(err) {
	case 0:
	case http.StatusOK, http.StatusPartialContent: // an answer that broke off
		return true
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		http.StatusTooManyRequests, http.StatusRequestTimeout:
		return true
	default:
		return passing[code(err)]
	}
	if passing[code(err)] {
		return true
	}
	var send *smithyhttp.RequestSendError
	var op *net.OpError
	return errors.As(err, &send) || errors.As(err, &op) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// final reports whether an error will be the same another time.
func final(err error) bool {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	return errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &cert) || errors.As(err, &host) || errors.As(err, &record) ||
		errors.Is(err, context.Canceled) || errors.Is(err, storage.ErrChanged) || errors.Is(err, storage.ErrGone) || errors.Is(err, storage.ErrUnsupported) ||
		errors.Is(err, fs.ErrNotExist) || noCredentials(err) || strings.Contains(err.Error(), "unsupported protocol scheme")
}

// explain gives an error its operation and name, as package io/fs has it.
func (f *FS) explain(op, key string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return err
	}
	return &fs.PathError{Op: op, Path: f.uri(key), Err: reason(err)}
}

// refusal is an error of S3 in few words. It is also one of the errors that callers ask for.
type refusal struct {
	text string
	is   error // may be nil
	err  error // of the SDK
}

// Error returns the message.
func (r *refusal) Error() string { return r.text }

// Unwrap returns what errors.Is looks at.
func (r *refusal) Unwrap() []error {
	if r.is == nil {
		return []error{r.err}
	}
	return []error{r.is, r.err}
}

// reason returns what an error of the SDK says, without what only its authors need.
func reason(err error) error {
	var api smithy.APIError
	s := status(err)
	switch {
	case noCredentials(err): // which may have an answer within, of who gives credentials
		return &refusal{err: err, is: fs.ErrPermission, text: "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role gives them: " + inner(err).Error()}
	case s >= 300 || errors.As(err, &api):
		r := &refusal{text: words(err, s), err: err}
		switch {
		case code(err) == "NoSuchUpload":
			r.is = storage.ErrGone
		case s == http.StatusNotFound:
			r.is = fs.ErrNotExist
		case s == http.StatusForbidden:
			r.is = fs.ErrPermission
		case s == http.StatusPreconditionFailed:
			r.is = storage.ErrChanged
		}
		return r
	}
	return &refusal{err: err, text: inner(err).Error()}
}

// noCredentials reports whether an error is that of the chain that looks for them.
func noCredentials(err error) bool {
	text := err.Error()
	return strings.Contains(text, "get identity:") || strings.Contains(text, "refresh cached credentials")
}

// words are an answer's code, message and status.
func words(err error, status int) string {
	var api smithy.APIError
	text := "the service answered"
	if errors.As(err, &api) && api.ErrorCode() != "" {
		text = api.ErrorCode()
		if m := api.ErrorMessage(); m != "" && m != text {
			text += ": " + m
		}
	}
	if status > 0 {
		text += fmt.Sprintf(" (%d", status)
		var r *awshttp.ResponseError
		if errors.As(err, &r) && r.RequestID != "" {
			text += ", request " + r.RequestID
		}
		text += ")"
	}
	switch {
	case status == http.StatusForbidden && code(err) == "Forbidden":
		text += ": no permission; without s3:ListBucket this is also the answer for an object that does not exist"
	case status == http.StatusMovedPermanently:
		text += ": the bucket is in another region: give it with --s3-region, or AWS_REGION"
	}
	return text
}

// inner returns an error without the names of the SDK's stages around it.
func inner(err error) error {
	for {
		switch e := err.(type) {
		case *smithy.OperationError:
			err = e.Err
		case *aws.RequestCanceledError:
			err = e.Err
		case *smithyhttp.RequestSendError:
			err = e.Err
		default:
			return err
		}
	}
}
