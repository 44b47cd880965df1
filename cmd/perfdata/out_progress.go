package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"

	"perfdata/internal/chars"
)

// showProgressFrom is the smallest size in bytes of a file that gets a progress bar.
const showProgressFrom = 32 << 20

// longRun is the number of bytes that are read without a jump, from which on a run is not a look at
// something.
const longRun = 4 << 20

// A progress is a file that shows on standard error how much of it has been read. Only reading
// counts: readers also jump ahead, to look for the header. A command that reads a file several
// times shows each pass on its own, and so does a reader that begins again.
type progress struct {
	io.ReadSeeker
	tool  *tool
	index int    // of the input
	name  string // of the file, without its folder
	size  int64
	at    int64
	from  int64 // where the current run begins
	most  int64 // the largest offset that was read up to in this pass
}

// newProgress returns f with a progress bar, or nil if it gets none: if standard error is not a
// terminal, if the results are printed on a terminal, or if f is small or of unknown size.
func (t *tool) newProgress(f file, name string, index int) *progress {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() < t.progressFrom ||
		!t.isTerminal(t.errs) || !t.prints && t.isTerminal(t.out) {
		return nil
	}
	return &progress{
		ReadSeeker: f, tool: t, index: index,
		name: chars.Visible(filepath.Base(name)), size: info.Size(),
	}
}

// begin begins a pass, with a new bar: it shows the speed and the remaining time of the pass.
func (p *progress) begin() {
	// The number of passes is not known in advance: it depends on the file.
	passes := p.tool.passes
	passes[p.index]++
	label := p.name
	if pass := passes[p.index]; pass > 1 {
		label = fmt.Sprintf("%s, pass %d", p.name, pass)
	}

	p.most = 0
	p.tool.showBar(p.size, label, progressbar.OptionShowBytes(true), progressbar.OptionSetWidth(30))
}

// showBar shows a bar on standard error, in place of the current one. The bar is written to the
// stream itself, because the screen would escape its control characters.
func (t *tool) showBar(most int64, label string, options ...progressbar.Option) {
	t.hideProgress()
	t.bar = progressbar.NewOptions64(most, append(options, progressbar.OptionSetWriter(t.errs),
		progressbar.OptionSetDescription(label), progressbar.OptionThrottle(100*time.Millisecond))...)
}

// Read shows how much was read. A long run that begins near the start, after much was read, is a
// new pass.
func (p *progress) Read(b []byte) (int, error) {
	n, err := p.ReadSeeker.Read(b)
	p.at += int64(n)
	// The bar exists from the first pass to the last.
	if n == 0 || p.tool.bar == nil {
		return n, err
	}

	isLong := p.at-p.from > longRun
	if isLong && p.at <= p.most && p.from < longRun {
		p.begin()
	}
	if p.at > p.most && (isLong || p.from <= p.most) {
		p.most = p.at
		p.tool.bar.Set64(min(p.at, p.size)) // a full bar is shown at once
	}
	return n, err
}

// Seek begins a run. It does not move the bar: a look at the end of a file is not progress.
func (p *progress) Seek(offset int64, whence int) (int64, error) {
	n, err := p.ReadSeeker.Seek(offset, whence)
	p.at, p.from = n, n
	return n, err
}

// removeBar removes the bar, when what it counted is done.
func (t *tool) removeBar() {
	t.hideProgress()
	t.bar = nil
}

// hideProgress clears the line of the bar, so that something else can be printed there.
func (t *tool) hideProgress() {
	if t.bar != nil {
		t.bar.Clear()
	}
}
