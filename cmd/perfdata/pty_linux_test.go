package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/term"
)

// openTerminal opens a pseudoterminal: what the tool writes to, and what the user would see.
func openTerminal(t *testing.T) (tty, user *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudoterminals: ", err)
	}
	t.Cleanup(func() { user.Close() })
	control := func(request uintptr, value *int32) {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, user.Fd(), request, uintptr(unsafe.Pointer(value))); e != 0 {
			t.Skip("no pseudoterminals: ", e)
		}
	}
	var unlocked, number int32
	control(syscall.TIOCSPTLCK, &unlocked)
	control(syscall.TIOCGPTN, &number)
	tty, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudoterminals: ", err)
	}
	if _, err := term.MakeRaw(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	return tty, user
}

// onTerminal runs the tool on a pseudoterminal, and returns what the user sees, and the status.
func onTerminal(t *testing.T, args ...string) (seen string, status int) {
	t.Helper()
	tty, user := openTerminal(t)
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(user) // EIO at the end
		text <- string(all)
	}()
	tool := newTool(strings.NewReader(""), tty, tty)
	status = tool.run(args)
	tty.Close()
	return <-text, status
}

// forged has what a terminal obeys, and pretends to be of the tool.
const forged = "\x1b]0;title\x07\x1b[2J\u009b31m\u202e\x7f\rx\x1b[31mFORGED"

// hostileTree writes files whose every field is forged: two runs of several commits, a list of the
// commits, a job with a hostile test and machine, and a profile. It returns their names.
func hostileTree(t *testing.T) (old, fresh []string, list, job, profile string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Skip(err) // some systems do not allow such names
		}
		return name
	}
	quoted, err := json.Marshal(forged)
	if err != nil {
		t.Fatal(err)
	}

	var commits []string
	for n := range 12 {
		hash := fmt.Sprintf("%040x", n+1)
		commits = append(commits, hash+"\t"+fmt.Sprint(1700000000+n)+"\t"+forged+"\t"+forged)
		values := ""
		for i := range 5 {
			values += fmt.Sprintf(`{"key":{$:$,"unit":$,"test":$,"repetition":"%d"},"links":{$:$},"measurement":%d},`,
				i+1, (100+i)*(1+n/11))
		}
		only := fmt.Sprintf(`{"key":{"test":"%d"},"measurement":1}`, n)
		text := fmt.Sprintf(`{"version":1,"git_hash":%q,"key":{"machine":$},"links":{$:$},"results":[%s%s]}`, hash, values, only)
		name := write(fmt.Sprintf("%d%s.json", n, forged), strings.ReplaceAll(text, "$", string(quoted)))
		if n < 11 {
			old = append(old, name)
		} else {
			fresh = append(fresh, name)
		}
	}
	slices.Reverse(commits)
	list = write("commits", strings.Join(commits, "\n")+"\n")

	line := strings.ReplaceAll(forged, "\r", "")
	job = filepath.Dir(write("job/status.log", "START\t"+line+"\t"+line+"\ttimestamp=1\tlocaltime=x\n\tGOOD\t"+line+"\t"+line+
		"\ttimestamp=2\tlocaltime=x\t"+line+"\nEND GOOD\t"+line+"\t"+line+"\ttimestamp=3\tlocaltime=x\n"))
	write("job/keyval", "hostname="+line+"\nuser="+line+"\n")
	write("job/"+line+"/results/keyval", "a{perf}=1\n"+line+"{perf}=2\nb{attr}="+line+"\n\n")
	profile = write("perun"+forged, hostileFiles(t)["perun"])
	return old, fresh, list, job, profile
}

// Every command is tried on a terminal with control sequences in every field of text. Only the
// sequences of the tool's styles arrive, and none of a file's.
func TestTerminalSequences(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	old, fresh, list, job, profile := hostileTree(t)
	db := filepath.Join(t.TempDir(), "perf.db")
	all := append(slices.Clone(old), fresh...)
	sides := func(args ...string) []string {
		return slices.Concat(args, []string{"--commits", list}, old, []string{"--"}, fresh)
	}
	of := func(files []string, args ...string) []string { return append(args, files...) }

	runs := [][]string{
		of(all, "store", "ingest", "-q", "--commits", list, db), {"store", "commits", db}, {"store", "sources", db}, {"store", "params", db},
		{"store", "query", db}, {"store", "query", "--as", "text", db}, {"store", "dump", db}, {"store", "check", db},
		{"store", "diff", db, fmt.Sprintf("%040x", 11), fmt.Sprintf("%040x", 12)}, {"store", "commits", db, list},
		{"store", "delete", "--dry-run", "--commit", forged, db}, {"store", "query", "--match", forged, db},
		{"changes", db}, {"report", db}, {"compare", db}, of(fresh, "check", db, "--"), {"ls", filepath.Dir(list)},
		{"records", "-r", filepath.Dir(list)}, {"validate", "-r", filepath.Dir(list)}, {"info", "-r", filepath.Dir(list)},
		{"detect", "-r", filepath.Dir(list)}, {"validate", job}, {"info", job}, {"records", "--as", "text", job}, {"header", job},
		{"convert", "--to", "perun", job}, {"convert", "--to", "skiav1", profile}, {"table", profile}, {"flame", profile}, {"plot", profile},
		of(all, "changes", "--commits", list), of(all, "changes", "--commits", forged), of(all, "report", "--commits", list),
		{"store", forged}, {"help", forged}, {"compare", forged, forged}, {"check", forged, "--", forged}, {"id", "match", forged},
	}
	for _, command := range []string{"compare", "check", "drift"} {
		for _, form := range []string{"text", "csv", "json", "markdown", "github"} {
			runs = append(runs, sides(command, "--as", form))
		}
		runs = append(runs, sides(command, "--by", forged), sides(command, "--match", forged), sides(command, "--by", "machine"))
	}
	for _, args := range runs {
		for _, color := range []string{"auto", "never"} {
			seen, _ := onTerminal(t, append([]string{"--color=" + color}, args...)...)
			if strings.Contains(seen, "\x1b[31mFORGED") {
				t.Errorf("%.60q: a color of a file: %q", args[:min(len(args), 4)], around(seen, "\x1b[31mFORGED"))
			}
			if color == "auto" {
				seen = withoutStyles(seen)
			}
			if c := hidden(seen); c != "" {
				t.Errorf("%.60q, --color=%s: %q in %q", args[:min(len(args), 4)], color, c, around(seen, c))
			}
		}
	}
}

func withoutStyles(text string) string {
	for _, s := range []style{bold, red, yellow, cyan, endStyle} {
		text = strings.ReplaceAll(text, string(s), "")
	}
	return text
}

func around(text, part string) string {
	at := strings.Index(text, part)
	return text[max(at-80, 0):min(at+80, len(text))]
}

// The last writer lets the styles pass, however they arrive, and escapes all other sequences.
func TestLastWriter(t *testing.T) {
	text := "\x1b[1ma\x1b[0m\x1b[2J\x1b[31mb\x1b[3\x1b[0m\x07\rä\u202e\x1b[3"
	want := "\x1b[1ma\x1b[0m\\u001b[2J\x1b[31mb\\u001b[3\x1b[0m\\u0007\\u000dä\\u202e\\u001b[3"
	for size := 1; size <= len(text); size++ {
		tty, user := openTerminal(t)
		tool := newTool(strings.NewReader(""), tty, io.Discard)
		tool.colorOut = true
		for at := 0; at < len(text); at += size {
			if _, err := io.WriteString(tool.last[0], text[at:min(at+size, len(text))]); err != nil {
				t.Fatal(err)
			}
		}
		tool.last[0].flush()
		tty.Close()
		got, _ := io.ReadAll(user)
		if string(got) != want {
			t.Errorf("pieces of %d: %q, want %q", size, got, want)
		}
	}
}
