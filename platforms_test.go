package perfdata_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exactMath are the functions of package math that have the same result on all platforms, because it is
// exact or rounded correctly. Others are assembly on some platforms, and on others the compiler fuses
// their products.
var exactMath = []string{
	"Abs", "Ceil", "Float64bits", "Floor", "Frexp", "Inf", "IsInf", "IsNaN", "Ldexp", "NaN", "Sqrt", "Trunc",
}

// The compiler may fuse a product with a sum, which then has other last bits on arm64 than on amd64. A
// conversion prevents that. So a product of floating-point numbers must be converted, unless it is
// evidently not a summand. No other way of computing differs between platforms, apart from functions of
// package math.
func TestPlatforms(t *testing.T) {
	known := importerOf(t)
	for _, test := range []struct {
		dir       string
		otherMath []string // files that may use other functions of package math
	}{
		{"internal/elementary", nil},
		{"internal/fdr", nil},
		{"series", nil},
		{"series/change", nil},
		{"series/check", nil},
		{"series/compare", []string{"interval.go", "report.go"}},
	} {
		t.Run(test.dir, func(t *testing.T) {
			pkg, err := build.ImportDir(test.dir, 0)
			if err != nil {
				t.Fatal(err)
			}
			fset := token.NewFileSet()
			var files []*ast.File
			for _, name := range pkg.GoFiles {
				file, err := parser.ParseFile(fset, filepath.Join(test.dir, name), nil, 0)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
			}
			for _, fault := range platformFaults(t, known, fset, path.Join("perfdata", test.dir), files, test.otherMath) {
				t.Error(fault)
			}
		})
	}
}

// What TestPlatforms finds.
func TestPlatformFaults(t *testing.T) {
	const source = `package x
import "math"
type celsius float64
func f(a, b float64, c, d float32, e celsius, n int) (float64, float64) {
	_ = a*b + 1 // fault
	_ = 1 - (a*b) // fault
	_ = float64(a*b) + 1
	_ = float32(c*d) - c
	_ = c*d + c // fault
	_ = e*e + e // fault
	_ = n*n + 1
	_ = 2*a + b
	_ = 3*a + b // fault
	_ = 2*3.0 + b
	_ = a*b/2 > a*b
	_ = math.Sqrt(a*b) + a
	_ = math.Log(a) // fault
	s := a*b // fault
	s += a*b // fault
	s *= a // fault
	s *= 0.5
	return -(a*b), max(a*b, 1) // fault
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []int
	for _, c := range file.Comments {
		want = append(want, fset.Position(c.Pos()).Line)
	}
	for _, fault := range platformFaults(t, importerOf(t), fset, "x", []*ast.File{file}, nil) {
		got = append(got, fault.at.Line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines with faults (-want +got):\n%s", diff)
	}
}

// A platformFault is a place at which platforms may differ.
type platformFault struct {
	at   token.Position
	text string
}

func (f platformFault) String() string { return fmt.Sprintf("%v: %s", f.at, f.text) }

// listed is what go list says of the packages that TestPlatforms looks at, and of all packages that they import.
var listed = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		"./series/...", "./internal/elementary", "./internal/fdr").Output()
})

// importerOf returns an importer of these packages.
func importerOf(t *testing.T) types.Importer {
	out, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	exports := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[name] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(name string) (io.ReadCloser, error) {
		return os.Open(exports[name])
	})
}

// platformFaults returns the places of a package at which platforms may differ.
func platformFaults(
	t *testing.T, known types.Importer, fset *token.FileSet, name string, files []*ast.File, otherMath []string,
) (faults []platformFault) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: known}
	if _, err := conf.Check(name, fset, files, info); err != nil {
		t.Fatal(err)
	}

	for _, file := range files {
		isOther := slices.Contains(otherMath, filepath.Base(fset.Position(file.Pos()).Filename))
		ast.PreorderStack(file, nil, func(n ast.Node, parents []ast.Node) bool {
			text := ""
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.MUL && isRounded(info, n.X, n.Y) && mayBeSummand(info, parents) {
					text = "a product: convert it to its type"
				}
			case *ast.AssignStmt:
				if n.Tok == token.MUL_ASSIGN && isRounded(info, n.Lhs[0], n.Rhs[0]) {
					text = "a product: assign a conversion to its type"
				}
			case *ast.Ident:
				f, ok := info.Uses[n].(*types.Func)
				if ok && !isOther && f.Pkg() != nil && f.Pkg().Path() == "math" && !slices.Contains(exactMath, n.Name) {
					text = "math." + n.Name + " is not the same on all platforms"
				}
			}
			if text != "" {
				faults = append(faults, platformFault{fset.Position(n.Pos()), text})
			}
			return true
		})
	}
	return faults
}

// isRounded reports whether the product of two factors is a floating-point number that may be rounded:
// that with a power of two is not, nor is a constant.
func isRounded(info *types.Info, factors ...ast.Expr) bool {
	constants := 0
	for _, x := range factors {
		basic, ok := info.Types[x].Type.Underlying().(*types.Basic)
		if !ok || basic.Info()&types.IsFloat == 0 {
			return false
		}
		if value := info.Types[x].Value; value != nil {
			constants++
			number, _ := constant.Float64Val(value)
			if fraction, _ := math.Frexp(number); math.Abs(fraction) == 0.5 {
				return false
			}
		}
	}
	return constants < len(factors)
}

// mayBeSummand reports whether the expression with the given parents may be added to something: as it is, or
// as a variable, an argument or a result of a function that the compiler inlines.
func mayBeSummand(info *types.Info, parents []ast.Node) bool {
	i := len(parents) - 1
	for ; i > 0; i-- {
		if _, ok := parents[i].(*ast.ParenExpr); !ok {
			break
		}
	}
	switch p := parents[i].(type) {
	case *ast.BinaryExpr:
		return p.Op == token.ADD || p.Op == token.SUB
	case *ast.CallExpr:
		if called := info.Types[p.Fun]; called.IsType() || called.IsBuiltin() {
			return false
		}
		selected, ok := p.Fun.(*ast.SelectorExpr)
		return !ok || info.Uses[selected.Sel].Pkg().Path() != "math"
	}
	return true
}

// A program that reads one format compiles few packages of this module.
func TestPackagesOfFormat(t *testing.T) {
	const most = 14
	var own []string
	for add := []string{"skiav1"}; len(add) > 0; add = add[1:] {
		if slices.Contains(own, add[0]) {
			continue
		}
		own = append(own, add[0])
		pkg, err := build.ImportDir(add[0], 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Imports {
			if dir, ok := strings.CutPrefix(name, "perfdata/"); ok {
				add = append(add, dir)
			}
		}
	}
	if len(own) > most {
		t.Errorf("skiav1 compiles %d packages, want %d at most: %s", len(own), most, strings.Join(own, ", "))
	}
}
