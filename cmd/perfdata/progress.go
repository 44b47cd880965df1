package main

import (
	"io"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"

	"perfdata/internal/visible"
)

// showProgressFrom is the smallest size in bytes of a file that gets a progress bar.
const showProgressFrom = 32 << 20

// A progress is a file that shows on standard error how much of it has been read.
type progress struct {
	io.ReadSeeker
	tool *tool
	at   int64
}

// newProgress returns f with a progress bar, or nil if it gets none: if standard error is not a
// terminal, if the results are printed on a terminal, or if f is small or of unknown size.
func (t *tool) newProgress(f file, name string) *progress {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() < t.progressFrom ||
		!t.isTerminal(t.stderr) || !t.prints && t.isTerminal(t.out) {
		return nil
	}
	t.bar = progressbar.NewOptions64(info.Size(),
		progressbar.OptionSetWriter(t.stderr),
		progressbar.OptionSetDescription(visible.String(filepath.Base(name))),
		progressbar.OptionShowBytes(true),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
	return &progress{f, t, 0}
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.ReadSeeker.Read(b)
	p.at += int64(n)
	p.show()
	return n, err
}

func (p *progress) Seek(offset int64, whence int) (int64, error) {
	n, err := p.ReadSeeker.Seek(offset, whence)
	p.at = n
	p.show()
	return n, err
}

// show draws the bar, unless it would be full: the library would end it, and the file may be read
// again.
func (p *progress) show() {
	if p.tool.bar != nil && p.at < p.tool.bar.GetMax64() {
		p.tool.bar.Set64(p.at)
	}
}

// done removes the bar.
func (p *progress) done() {
	p.tool.hideProgress()
	p.tool.bar = nil
}

// hideProgress clears the line of the bar, so that something else can be printed there.
func (t *tool) hideProgress() {
	if t.bar != nil {
		t.bar.Clear()
	}
}
