package main

import (
	"regexp"

	"loopc/runtime/boundary"
)

// constructs are the constructs of random nests. Among fifty nests or more, at least one in least
// must have the construct; 0: none need have it.
var constructs = append([]randomConstruct{
	{"several nests", 8, regexp.MustCompile(`(?s)\nfor .*\nfor `)},
	{"repeat", 10, regexp.MustCompile(`(?m)^repeat `)},
	{"batch", 50, regexp.MustCompile(`(?m)^batch `)},
	{"repeat with step -1", 25, regexp.MustCompile(`(?m)^repeat .* step -1`)},
	{"the number of a repeat in a bound", 25, regexp.MustCompile(`(?m)^\t?for .*\W[tn]\d\b`)},
	{"the number of a repeat in a subscript", 25, regexp.MustCompile(`\[([^]]*,)?[tn]\d\b`)},
	{"a parameter of floats", 12, regexp.MustCompile(`(?m)^param .* float64 = .*(?s:.*)[^.\w](omega|eps)\b`)},
	{"a subscript of several loops", 25, regexp.MustCompile(`\[(2\*\w|\w\+\w|\w-2\*\w)`)},
	{"if", 12, regexp.MustCompile(`\tif .* {`)},
	{"else", 16, regexp.MustCompile(`} else `)},
	{"a mask", 25, regexp.MustCompile(`\bm[x\d]+\[.*\] (!= 0|== 0|> 3) {`)},
	{"a lookup", 25, regexp.MustCompile(`\btab\d\w*\[.*(?s:.*)\n\t.*\btab\d\w*\[`)},
	{"cells that move along a row", 25, regexp.MustCompile(`\bmove\d\w*\[.*(?s:.*)\n\t.*\bmove\d\w*\[`)},
	{"cells that move along a row under a condition", 25, regexp.MustCompile(`select\([^\n]*(<|>|<=|>=) [^\n]*, [^\n]*\bmove\d`)},
	{"a guard", 8, regexp.MustCompile(`select\(!?\(*[ijkl][+-]\d+ [<>]`)},
	{"cells of a color", 16, regexp.MustCompile(`= select\([^,]*\)([%&]\d [!=]|/\d\*\d )`)},
	{"var", 12, regexp.MustCompile(`\tvar `)},
	{"statements around a loop", 25, regexp.MustCompile(`(?m)^\tfor `)},
	{"until", 25, regexp.MustCompile(` until `)},
	{"reduce", 10, regexp.MustCompile(`(?m)^reduce `)},
	{"sum of floats", 0, regexp.MustCompile(`= sum\(float`)},
	{"extern", 12, regexp.MustCompile(`(?m)^extern `)},
	{"schedule", 12, regexp.MustCompile(`(?m)^schedule `)},
	{"step -1", 8, regexp.MustCompile(` step -1`)},
	{"several slices", 25, regexp.MustCompile(`(?s)\nout .*\nout `)},
	{"a parameter in an init", 8, regexp.MustCompile(`init .*\*[NMT]\b`)},
	{"a bound of an outer loop", 8, regexp.MustCompile(`for .*\.\.(min\(|[ijk]\b)`)},
	{"float32", 8, regexp.MustCompile(`float32`)},
	{"float64", 4, regexp.MustCompile(`float64`)},
	{"int32", 12, regexp.MustCompile(`int32`)},
	{"int64", 16, regexp.MustCompile(`int64`)},
	{"uint8", 16, regexp.MustCompile(`uint8`)},
	{"an update", 12, regexp.MustCompile(`\] [-+*/]= `)},
	{"bits", 12, regexp.MustCompile(`[%&]\d|<<\d|>>\d|\) [|^] `)},
	{"let", 12, regexp.MustCompile(`\tlet `)},
	{"select", 8, regexp.MustCompile(`select\(`)},
	{"a number added to cells", 25, regexp.MustCompile(`\] [-+] 11.*\] [-+] 11\b`)},
}, boundaryConstructs()...)

type randomConstruct struct {
	name    string
	least   int
	pattern *regexp.Regexp
}

// boundaryConstructs returns the kinds of boundary; those that wrap are for given arrays.
func boundaryConstructs() (list []randomConstruct) {
	for _, k := range boundary.All() {
		least := 6 * len(boundary.All())
		if k.Wraps() {
			least = 50
		}
		list = append(list, randomConstruct{k.String(), least, regexp.MustCompile(k.String())})
	}
	return list
}
