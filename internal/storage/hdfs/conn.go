package hdfs

import (
	"bufio"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// Time limits of the network, Hadoop's own defaults.
const (
	dialTimeout = 20 * time.Second
	ioTimeout   = 60 * time.Second
	keepAlive   = 30 * time.Second
)

// dialer makes connections that don't hang.
type dialer struct {
	ctx     context.Context
	unknown atomic.Pointer[net.DNSError] // a NameNode's host that isn't known
}

func (d *dialer) dial(network, addr string) (net.Conn, error) {
	return (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}).Dial(network, addr)
}

// nameNode connects to a NameNode: also when the context is done.
func (d *dialer) nameNode(_ context.Context, network, addr string) (net.Conn, error) {
	c, err := d.dial(network, addr)
	if err != nil {
		var dns *net.DNSError
		if errors.As(err, &dns) && dns.IsNotFound {
			d.unknown.Store(dns)
		}
		return nil, err
	}
	d.unknown.Store(nil)
	return newConn(c, nil), nil
}

// dataNode connects to a DataNode; the connection ends when the context is done.
func (d *dialer) dataNode(_ context.Context, network, addr string) (net.Conn, error) {
	if err := d.ctx.Err(); err != nil {
		return nil, context.Cause(d.ctx)
	}
	c, err := d.dial(network, addr)
	if err != nil {
		return nil, err
	}
	return newConn(c, d.ctx), nil
}

// conn is a connection on which each read and write has its time limit, and that is
// closed by the first error: the client goes on with a connection after a failed read,
// and would take a late answer for that of another question.
type conn struct {
	net.Conn
	in   *bufio.Reader
	stop func() bool
}

// newConn wraps a connection, which a context ends if it isn't nil.
func newConn(c net.Conn, ctx context.Context) *conn {
	w := &conn{Conn: c, in: bufio.NewReaderSize(c, 128<<10), stop: func() bool { return true }}
	if ctx != nil {
		w.stop = context.AfterFunc(ctx, func() { _ = c.Close() })
	}
	return w
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	if c.in.Buffered() == 0 {
		if err := c.Conn.SetReadDeadline(time.Now().Add(ioTimeout)); err != nil {
			return 0, err
		}
	}
	n, err := c.in.Read(p)
	if err != nil {
		_ = c.Close() // the error that matters is there
	}
	return n, err
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(time.Now().Add(ioTimeout)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	if err != nil {
		_ = c.Close() // as above
	}
	return n, err
}

// SetDeadline does nothing: the limits are this type's own.
func (c *conn) SetDeadline(time.Time) error { return nil }

// Close implements net.Conn.
func (c *conn) Close() error {
	c.stop()
	return c.Conn.Close()
}
