package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oldWords are words that identifiers and files of some rooms are no longer named after, by
// what to say instead: the field's term, as in ARCHITECTURE's glossary.
var oldWords = map[string]string{
	"skewed storage, its offset":                    "drift",
	"interleaved row streams, critical path":        "chain chains",
	"unroll-and-jam":                                "together",
	"instruction interleaving":                      "woven weave strand strands",
	"interleave, transpose":                         "lace laced laces lacing unlace",
	"lane index":                                    "seat",
	"register reuse by shifts, row offset":          "slide slides",
	"circular buffer, current row":                  "ring rings now",
	"carry-in, carry-out":                           "insert inserts outs",
	"streaming stores":                              "lined outgoing",
	"software prefetch":                             "ahead",
	"2.5-D blocking, cache blocking":                "thin layer layers",
	"tail mask":                                     "tops",
	"dead-store elimination":                        "lean kept",
	"version":                                       "variant variants",
	"flow-controlled early send":                    "handover packed awaiter",
	"cyclic distribution, late boundary refill":     "turn turns",
	"unwritten cells":                               "rest",
	"boundary region":                               "outside",
	"face, halo width":                              "margin",
	"reference kernel, loaded, idle, other tenants": "pieces busy quiet neighbor neighbors",
}

// wordRooms are the rooms in which the old words had another meaning than elsewhere; those
// below them are like them.
var wordRooms = []string{"codegen", "runtime/halo", "runtime/kernel", "runtime/sched", "runtime/simd", "transform/plan"}

// wordsRight are old words in a meaning of their own.
var wordsRight = map[string]string{
	"runtime/sched now":          "the time",
	"transform/plan/cost now":    "the time",
	"transform/plan/cost turn":   "what the row streams compute before the walk goes on, as in package walk",
	"transform/plan/cost turns":  "the same",
	"transform/plan/walk packed": "bytes of faces",
}

// TestWords requires that rooms use no old word for packages, files, what a package declares,
// methods and fields, but those of wordsRight.
func TestWords(t *testing.T) {
	found := map[string]map[string]string{} // room and word to an identifier
	walkGo(t, notOurs, func(name, file string) {
		room := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") || !slices.ContainsFunc(wordRooms, func(r string) bool { return room == r || strings.HasPrefix(room, r+"/") }) {
			return
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		names := append(declaredNames(syntax), strings.TrimSuffix(path.Base(name), ".go"), path.Base(room))
		for _, identifier := range names {
			for word := range oldWordsOf(identifier) {
				if found[room] == nil {
					found[room] = map[string]string{}
				}
				found[room][word] = identifier
			}
		}
	})
	for room, words := range found {
		for word, identifier := range words {
			if wordsRight[room+" "+word] == "" {
				t.Errorf("%s: %s has the word %s: say %s", room, identifier, word, oldWordsOf(identifier)[word])
			}
		}
	}
	for right := range wordsRight {
		room, word, _ := strings.Cut(right, " ")
		if found[room][word] == "" {
			t.Errorf("%s no longer has the word %s: take it off wordsRight", room, word)
		}
	}
}

// TestWordsFound checks which identifiers TestWords looks at, and how it takes them apart.
func TestWordsFound(t *testing.T) {
	syntax, err := parser.ParseFile(token.NewFileSet(), "a.go", `package a

type Lined struct{ rowTops, other int; f func(lane int); in struct{ deep bool } }

type walker interface{ inTurn(ahead int) }

const MostTogether, x = 1, 2

func (Lined) unlaceRow(rest int) { var drift int; _ = drift }
`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Lined", "rowTops", "other", "f", "in", "deep", "walker", "inTurn", "MostTogether", "x", "unlaceRow"}
	if got := declaredNames(syntax); !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
	for identifier, want := range map[string]string{"rowTops": "tops", "Lined": "lined", "unlaceRow": "unlace", "AheadInHTTP": "ahead", "together_machine": "together", "stop": "", "RING2": "ring"} {
		got := ""
		for word := range oldWordsOf(identifier) {
			got += word
		}
		if got != want {
			t.Errorf("%s has %q, want %q", identifier, got, want)
		}
	}
}

var partOfName = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// oldWordsOf returns the old words in an identifier, and what to say instead.
func oldWordsOf(identifier string) map[string]string {
	all := map[string]string{}
	for _, part := range partOfName.FindAllString(identifier, -1) {
		for say, words := range oldWords {
			if word := strings.ToLower(part); slices.Contains(strings.Fields(words), word) {
				all[word] = say
			}
		}
	}
	return all
}

// declaredNames are the names of what a file declares, of methods and of fields.
func declaredNames(file *ast.File) (names []string) {
	add := func(list ...*ast.Ident) {
		for _, name := range list {
			names = append(names, name.Name)
		}
	}
	for _, decl := range file.Decls {
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				add(n.Name)
				return false
			case *ast.TypeSpec:
				add(n.Name)
			case *ast.ValueSpec:
				add(n.Names...)
			case *ast.Field:
				add(n.Names...)
				_, method := n.Type.(*ast.FuncType)
				return !method
			case *ast.FuncType:
				return false
			}
			return true
		})
	}
	return names
}
