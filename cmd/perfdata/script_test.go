package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"perfdata/internal/testing/quick"
)

// Some behavior shows only in a process of its own: the test binary with this variable. If the
// variable is not 0, it is the number of files that can be opened; then the process reports that,
// and waits for a signal; with " spill" after the number, rows are sorted in a temporary file. If it
// is peak, the process reports how much memory it took at most.
const asTool = "PERFDATA_TEST_TOOL"

// runAsTool runs the tool in this process, and exits.
func runAsTool(blockAt string) {
	switch blockAt {
	case "0":
		main()
	case "peak":
		status := runProcess()
		printPeak()
		os.Exit(status)
	}
	t := newTool(os.Stdin, os.Stdout, os.Stderr)
	t.signals.listen()
	if strings.HasSuffix(blockAt, " spill") {
		t.sortMemory = 1000
	}
	opened := 0
	t.open = func(name string) (file, error) {
		if opened++; opened > int(blockAt[0]-'0') {
			io.WriteString(os.Stderr, "blocked\n")
			select {}
		}
		return openFile(name)
	}
	os.Exit(t.run(os.Args[1:]))
}

// TestMain makes the test binary the tool, if it is called perfdata: scripts run it so, as users
// would.
func TestMain(m *testing.M) {
	if blockAt := os.Getenv(asTool); blockAt != "" {
		runAsTool(blockAt)
	}
	testscript.Main(quickMain{m}, map[string]func(){"perfdata": main})
}

// A quickMain collects less garbage while it runs the tests, as [quick.Main] does, and not where the
// test binary is the tool.
type quickMain struct{ *testing.M }

func (m quickMain) Run() int {
	debug.SetGCPercent(400)
	return m.M.Run()
}

// noSleep is for the race detector: a process would sleep for a second at its end.
const noSleep = "atexit_sleep_ms=0"

// Each script in testdata/script shows one thing that the tool does for its users: a command, its
// output and its exit status. The scripts find the project's sample files in $TESTDATA.
func TestScripts(t *testing.T) {
	samples, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Condition:           func(name string) (bool, error) { return name == "quick" && quick.Test(), nil },
		Setup: func(env *testscript.Env) error {
			env.Setenv("TESTDATA", samples)
			env.Setenv("GORACE", noSleep)
			return nil
		},
	})
}
