package main

import (
	"regexp"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/runtime/boundary"
)

// languageConstructs returns a row for every construct of the language.
func languageConstructs() map[string]construct {
	rows := map[string]construct{
		"param: param": {`(?m)^param \w`, "param K = 3\nparam N = 4\narray a[0..N] int32 out\nfor i = 0..N { a[i] = K }", "param K = 3",
			"param N, N = 3, 4\narray a[0..9] int32 out\nfor i = 0..9 { a[i] = 1 }", diag.Redeclared},
		"param: with Values": {`param \w+(, \w+)* = `, "param N = 4\narray a[0..4] int32 out\nfor i = 0..4 { a[i] = N }", "param N = 4",
			"param N, M = 3\narray a[0..9] int32 out\nfor i = 0..9 { a[i] = 1 }", diag.ValueCount},
		"param: float64": {`(?m)^param .*float64`, "param w float64 = 0.5\narray a[0..9] float32 inout\nfor i = 1..9 { a[i] = w*a[i-1] }", "param w float64 = 0.5",
			"param w float64 = 0.5\narray a[0..9] float32 inout\nfor i = 1..9 { a[i] = a[i-w] }", diag.NotAffine},
		"param: with Float": {`(?m)^param .*float64$`, "param w, h float64\nparam N = 9\narray a[0..9] float64 inout\nfor i = 1..N { a[i] = h + w*a[i-1] }", "param h float64\n",
			"param w float64 = 1.5\narray a[0..9] int32 inout\nfor i = 1..9 { a[i] = w*a[i-1] }", diag.TypeMismatch},
		"const: const": {`(?m)^const \w`, "const w = 1/4.0\narray a[0..4] float32 inout\nfor i = 1..4 { a[i] = w*a[i-1] }", "w*a[i-1]",
			"param N = 2\nconst w = N/2\narray a[0..4] float32 out\nfor i = 0..4 { a[i] = w }", diag.NotConstant},
		"listed: const": {`(?m)^const \w+\[`, "const w[0..1, -1..0] int32 = [[3, 4], [5, 6]]\narray n[0..9] int32 inout\nfor i = 1..9 { n[i] = n[i-1] + w[i%2,-1] }", "const w[0..1, -1..0] int32 = [[3, 4], [5, 6]]\n",
			"const w[0..2] float64 = [1, 2]\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = w[1] }", diag.ValueCount},
		"rule: a constant array in a subscript": {`\w\[\w\+\w+\[`, "const w[0..1] int32 = [-1, 1]\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = a[i+w[0]] }", "a[i-1]",
			"const w[0..1] int32 = [-1, 1]\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = a[i+w[i%2]] }", diag.NotAffine},
		"rule: a small loop": {`(?m)^\t+for \w = -?\d\.\.\d`, "param N = 9\nconst w[0..1] float64 = [0.5, 0.25]\narray a[0..9] float64 inout\nfor i = 1..N {\n\tvar s float64 = 0\n\tfor m = 0..1 { s += w[m]*a[i-m] }\n\ta[i] = s\n}", "0.25",
			"const w[0..1] float64 = [0.5, 0.25]\narray a[0..9] float64 inout\nfor i = 1..9 {\n\tvar s float64 = 0\n\tfor m = 0..2 { s += w[m] }\n\ta[i] = s\n}", diag.OutOfBounds},
		"rule: a small loop with cells of its own": {`(?m)^\t+for \w = -?\d\.\.\d \{\n\t+\w\[\w,`, "param N = 9\narray z[0..2, 0..9] float64 inout\nfor i = 1..N {\n\tvar x float64 = i\n\tfor s = 0..2 {\n\t\tz[s,i] = 0.5*z[s,i-1] + x\n\t\tx = z[s,i]\n\t}\n}", "z[2,i]",
			"array z[0..2, 0..9] float64 inout\nfor i = 1..9 {\n\tvar x float64 = i\n\tfor s = 0..3 {\n\t\tz[s,i] = 0.5*z[s,i-1] + x\n\t\tx = z[s,i]\n\t}\n}", diag.OutOfBounds},
		"range: ..": {`\d\.\.\w`, "param N = 5\narray a[-2..N+1] int32 out\nfor i = 1-3..N+1 { a[i] = 1 }", "array a[-2..N+1]",
			"array a[4..2] int32 out\nfor i = 4..2 { a[i] = 1 }", diag.EmptyExtent},
		"array: array": {`(?m)^array `, "array a[0..9, 1..3] int64 out\nfor i = 0..9, j = 1..3 { a[i,j] = 1 }", "array a[0..9, 1..3] int64 out",
			"array a[0..9] int64 out\nfor i = 0..9 { a[i,i] = 1 }", diag.Dimensions},
		"array: with Role": {`(?m)^array .* (float|int|uint)\d+$`, "array a[0..9] float32\narray b[0..9] float32 out\ninit a[i] = 0\nfor i = 1..9 {\n a[i] = a[i-1] + 1\n b[i] = a[i] }\ninit b[i] = 1", "array a[0..9] float32\n",
			"array a[0..9] float32\narray b[0..9] float32 out\nfor i = 0..9 { b[i] = a[i] }", diag.NotSupplied},
		"array: in": {` in\n`, "a[i] = b[i]", "array b[0..9] float64 in",
			"b[i] = a[i]", diag.ArrayRole},
		"array: inout": {` inout\n`, "a[i] = 0.5*a[i]", "array a[0..9] float64 inout",
			"array a[0..9] float32 inout\ninit a[i] = 0\nfor i = 0..9 { a[i] = 1 }", diag.ArrayRole},
		"array: out": {`(?m)^array .* out$`, "array a[0..9] float32 out\nfor i = 0..9 { a[i] = i }", "array a[0..9] float32 out",
			"array a[0..9] float32 out\nfor i = 1..9 { a[i] = i }", diag.NotSupplied},
		"init: init": {`(?m)^init \w`, "array a[0..9] float32 out\ninit a[x] = 2*x\nfor i = 1..9 { a[i] = a[i-1] }", "init a[x] = 2*x",
			"array a[0..9] float32 out\ninit a[x] = 2*y\nfor i = 1..9 { a[i] = a[i-1] }", diag.UnknownName},
		"out: out": {`(?m)^out \w`, "param N = 9\narray a[0..9, 0..N] float32\ninit a[x, y] = 2*x\nout a[N-1, *]\nfor i = 1..9, j = 1..N { a[i,j] = a[i-1,j] }", "out a[N-1, *]",
			"array a[0..9] float32 inout\nout a[3]\nfor i = 1..9 { a[i] = a[i-1] }", diag.ArrayRole},
		"outItem: *": {`(?m)^out .*\*`, "array a[0..9, 0..2] float32\ninit a[x, y] = 2*x\nout a[*, 1]\nfor i = 1..9, j = 0..2 { a[i,j] = a[i-1,j] }", "out a[*, 1]",
			"array a[0..9] float32\ninit a[x] = 2*x\nout a[*, *]\nfor i = 1..9 { a[i] = a[i-1] }", diag.Dimensions},
		"boundary: boundary": {`(?m)^boundary `, "array a[1..9, 1..9] float32 inout\nboundary a[copied, *]\nfor t = 1..4, i = 1..9, j = 1..9 { a[i,j] = a[i-1,j] }", "boundary a[copied, *]",
			"array a[1..9] float32 inout\nboundary a[fixed]\nfor i = 1..9 { a[i] = 0.5*a[i] }", diag.Boundary},
		"edge: ..": {`boundary .*[a-z]\.\.[a-z]`, "array a[1..9] float32 in\narray c[1..9] float32 out\nboundary a[copied..reflecting]\nfor i = 1..9 { c[i] = a[i-1] + a[i+1] }", "boundary a[copied..reflecting]",
			"array a[1..9] float32 in\narray c[1..9] float32 out\nboundary a[copied..periodic]\nfor i = 1..9 { c[i] = a[i-1] + a[i+1] }", diag.Boundary},
		"side: *": {`boundary .*[[ .]\*`, "array a[1..9] float32 in\narray c[1..9] float32 out\nboundary a[copied..*]\nfor i = 1..9 { c[i] = a[i-1] + a[i] }", "boundary a[copied..*]",
			"array a[1..9] float32 in\narray c[1..9] float32 out\nboundary a[copied..*]\nfor i = 1..9 { c[i] = a[i+1] }", diag.OutOfBounds},
		"extern: extern": {`(?m)^extern `, "extern func H(x, y float64) float64 = \"math\".Hypot\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = H(a[i-1], 2) }", `extern func H(x float64, y float64) float64 = "math".Hypot`,
			"extern func H(x float64) float64 = \"../math\".Hypot\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = H(a[i-1]) }", diag.Extern},
		"extern: with Path": {`= "math"\.`, "extern func T(x float64) float64 = \"math\".Trunc\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = T(a[i-1]) }", `= "math".Trunc`,
			"extern func T(x float64) float64 = \"math\".trunc\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = T(a[i-1]) }", diag.Extern},
		"extern: with Params": {`extern func \w+\(\w`, "extern func T(x float64) float64 = \"math\".Trunc\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = T(i) }", `T(i)`,
			"extern func T(x float64) float64 = \"math\".Trunc\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = T() }", diag.ValueCount},
		"externParam: with Type": {`extern func \w+\(\w+, \w+ float64\)`, "extern func H(x, y float64) float64 = \"math\".Hypot\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = H(a[i-1], a[i]) }", `y float64`,
			"extern func H(x, y) float64 = \"math\".Hypot\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = H(a[i-1], a[i]) }", diag.Extern},
		"for: for": {`(?m)^for .*, `, "array a[0..9, 0..9] float64 inout\nfor i = 1..9, j = 1..i { a[i,j] = a[i-1,j] }", "for i = 1..9, j = 1..i {",
			"array a[0..9, 0..9] float64 inout\nfor i = 1..j, j = 1..9 { a[i,j] = a[i-1,j] }", diag.BoundShape},
		"loop: step": {` step -1`, "array a[0..9] float64 inout\nfor i = 8..0 step -1 { a[i] = a[i+1] }", "for i = 8..0 step -1 {",
			"array a[0..9] float64 inout\nfor i = 8..0 step 0 { a[i] = a[i+1] }", diag.BoundShape},
		"repeat: repeat": {`(?m)^repeat `, "param T = 3\narray a[0..9] float64 inout\nrepeat t = 1..T {\nfor i = 1..9 { a[i] = a[i-1] + t }\n}", "repeat t = 1..T\n",
			"param T = 3\narray a[0..9] float64 inout\nrepeat t = 1..T {\nfor i = t*t..9 { a[i] = a[i-1] }\n}", diag.NotAffine},
		"repeat: step": {`(?m)^repeat .* step -1`, "array a[0..9] float64 inout\nrepeat t = 3..1 step -1 {\nfor i = t..9 { a[i] = a[i-1] + t }\n}", "repeat t = 3..1 step -1\n",
			"array a[0..9] float64 inout\nrepeat t = 3..1 step -2 {\nfor i = t..9 { a[i] = a[i-1] + t }\n}", diag.BoundShape},
		"repeat: until": {` until `, "array a[0..9] float64 inout\nrepeat t = 1..5 until most < 0.5 {\nreduce most = max(a[i])\nfor i = 1..9 { a[i] = 0.5*a[i] }\n}", "until most < 0.5",
			"array a[0..9] float64 inout\nrepeat t = 1..5 until a[1] < 0.5 {\nfor i = 1..9 { a[i] = 0.5*a[i] }\n}", diag.Reduction},
		"reduce: reduce": {`(?m)^\t?reduce `, "reduce most = max(a[i])\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = 0.5*a[i] }", "reduce most = max(a[i])",
			"reduce most = a[i]\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = 0.5*a[i] }", diag.Reduction},
		"reduce: at": {`(?m)^\t?reduce .* at \(`, "reduce most, k = max(a[i]) at (i)\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = 0.5*a[i] }", "reduce most, k = max(a[i]) at (i)",
			"reduce most, k = sum(a[i]) at (i)\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = 0.5*a[i] }", diag.Reduction},
		"reduce: with At": {`(?m)^\t?reduce \w+, .* at \(`, "reduce most, p, q = min(a[i,j]) at (j, i)\narray a[0..9, 0..9] float64 inout\nfor i = 1..9, j = 1..9 { a[i,j] = 0.5*a[i,j] }", "reduce most, p, q = min(a[i,j]) at (j, i)",
			"reduce most, p = min(a[i]) at (i+1)\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = 0.5*a[i] }", diag.Reduction},
		"var: var": {`\tvar \w+ float`, "var s float64 = b[i]\n\ts += 2\n\ta[i] = s*s", "let s float64 = s2 + 2",
			"var s float64 = 0\n\tvar s float64 = 1\n\ta[i] = s", diag.Redeclared},
		"if: if": {`\tif `, "if b[i] > 2 {\n\t\ta[i] = 1\n\t\tn[i] += 2\n\t}", "n[i] = select(b[i] > 2.0, n[i] + 2, n[i])",
			"if b[i] {\n\t\ta[i] = 1\n\t}", diag.NotCondition},
		"else: else": {`\} else \{`, "if b[i] > 2 {\n\t\ta[i] = 1\n\t} else {\n\t\ta[i] = 3\n\t}", "a[i] = select(b[i] > 2.0, 1, 3)",
			"a[i] = 1\n\telse {\n\t\ta[i] = 3\n\t}", diag.Foreign},
		"else: if": {`\} else if `, "if b[i] > 2 {\n\t\ta[i] = 1\n\t} else if i > 3 {\n\t\ta[i] = 3\n\t}", "a[i] = select(b[i] > 2.0, 1, select(i > 3, 3, a[i]))",
			"if b[i] > 2 {\n\t\ta[i] = 1\n\t} else if {\n\t\ta[i] = 3\n\t}", diag.Syntax},
		"else: with Condition": {`\} else if `, "if b[i] > 2 {\n\t\ta[i] = 1\n\t} else if b[i] < 0 {\n\t\tn[i] = 3\n\t}", "select(b[i] < 0.0, 3, n[i])",
			"if b[i] > 2 {\n\t\ta[i] = 1\n\t} else if i {\n\t\ta[i] = 3\n\t}", diag.NotCondition},
		"rule: for in for": {`(?m)^\tfor `, "array a[0..9] float64 out\narray b[0..9, 0..99] float64 in\nfor i = 0..9 {\n\ta[i] = 0\n\tfor j = 0..99 { a[i] += b[i,j] }\n}", "for i = 0..9, j = 0..99 {",
			"array a[0..9, 0..9] float64 inout\nfor i = 1..4 {\n\ta[i,2*i] = 1\n\tfor j = 1..9 { a[i,j] += a[i-1,i] }\n}", diag.WrittenSubscript},
		"let: let": {`\tlet \w`, "let s = 2*a[i]\n\ta[i] = s + s", "let s float64 = 2*a[i]",
			"let s = 2*a[i]\n\tlet s = 3*a[i]\n\ta[i] = s", diag.Redeclared},
		"let: with Type": {`\tlet \w+ float`, "let s float32 = i\n\ta[i] = s", "let s float32 = i",
			"let s quad = a[i]\n\ta[i] = s", diag.UnknownName},
		"cell: with Subs": {`\t\w+\[i\] = `, "a[i] = 3", "a[i] = 3",
			"a = 3", diag.Dimensions},
		"primary: with Args": {`max\(\w`, "a[i] = max(1, a[i])", "max(1, a[i])",
			"a[i] = sqrt()", diag.ValueCount},
		"rule: several nests": {`(?s)\nfor .*\nfor `, "array a[0..9] float64 inout\nfor i = 1..9 { a[i] = a[i-1] }\nfor i = 1..9 { a[i] = 2*a[i] }", "xNest1\nxNest2\n",
			"array a[0..9] float64\narray b[0..9] float64 out\nfor i = 0..9 { b[i] = a[i] }\nfor i = 0..9 { a[i] = b[i] }", diag.NotSupplied},
		"batch: batch": {`(?m)^batch \w = .*, \w = \w+\[\w\]`, "param B = 3\narray len[1..B] int32 in\narray a[1..B, 0..9] float64 inout\nbatch b = 1..B, M = len[b] {\nfor i = 1..M { a[b,i] = a[b,i-1] }\n}", "batch b = 1..B, M = len[b] in 0..9\n",
			"array len[1..3] int32 inout\narray a[1..3, 0..9] float64 inout\nbatch b = 1..3, M = len[b] {\nfor i = 1..M { a[b,i] = a[b,i-1] }\n}", diag.ArrayRole},
		"rule: items that do not depend on one another": {`(?m)^batch (\w) = (.|\n)*\[(b|w),i\] = .*\[(b|w),`, "array len[1..3] int32 in\narray a[1..3, 0..9] float64 inout\nbatch b = 1..3, M = len[b] {\nfor i = 1..M { a[b,i] = a[b,i-1] }\n}", "a[b,i] = a[b,i-1]",
			"array len[1..3] int32 in\narray a[0..3, 0..9] float64 inout\nbatch b = 1..3, M = len[b] {\nfor i = 1..M { a[b,i] = a[b-1,i] }\n}", diag.NonUniform},
		"rule: a nest after a repeat": {`(?s)\n\}\nfor .*|repeat.*\n\}\nrepeat`, "array a[0..9] float64 inout\nrepeat t = 1..3 {\nfor i = 1..9 { a[i] = a[i-1] }\n}\nfor i = 1..9 { a[i] = 2*a[i] }", "\txNest1\nxNest2\n",
			"param T = 3\narray a[0..9] float64 out\nrepeat t = 1..T {\nfor i = 0..9 { a[i] = 1 }\n}\nfor i = 1..9 { a[i] = 2*a[i] }", diag.NotSupplied},
		"rule: an array without a loop's index, updated in place": {`for t = .*\{\s+\w+\[i(,j)?\] = `, "array a[0..9] float64 inout\nfor t = 1..4, i = 1..8 { a[i] = a[i-1] + a[i+1] }", "a[i] = a[i-1] + a[i+1]",
			"array a[0..9] float64 inout\nfor t = 1..4, i = 1..8 { a[i] = a[3] }", diag.NonUniform},
		"rule: parameters and constants in an init": {`init .*= .*\b[NTK]\b`, "param N = 9\narray a[0..9] float64 out\ninit a[x] = N - x\nfor i = 1..9 { a[i] = a[i-1] }", "init a[x] = N - x",
			"array b[0..9] float64 inout\narray a[0..9] float64 out\ninit a[x] = b[x]\nfor i = 1..9 {\na[i] = a[i-1]\n b[i] = 1 }", diag.InitRead},
		"rule: parameters in bounds": {`array .*\.\.\d?\*?[NMT][+*]`, "param N = 9\narray a[0..2*N+1] float64 inout\nfor i = 1..2*N { a[i] = a[i-1] }", "array a[0..2*N+1]",
			"param N = 9\narray a[0..N*N] float64 inout\nfor i = 1..N { a[i] = a[i-1] }", diag.NotAffine},
		"rule: bounds with max and min": {`= max\(.*\)\.\.min\(`, "param N, w = 9, 2\narray a[0..N, 0..N] float64 inout\nfor i = 1..N, j = max(1, i-w)..min(N, i+w) { a[i,j] = a[i-1,j] }", "j = max(1, i-w)..min(N, i+w)",
			"param N, w = 9, 2\narray a[0..N, 0..N] float64 inout\nfor i = 1..N, j = min(1, i-w)..N { a[i,j] = a[i-1,j] }", diag.BoundShape},
		"rule: several slices": {`(?s)\nout .*\nout `, "array a[0..9] float32\narray b[0..9] int64\ninit a[x] = 1\ninit b[x] = 1\nout a[3]\nout b[4]\nfor i = 1..9 {\na[i] = a[i-1]\nb[i] = b[i-1]\n}", "out b[4]",
			"array a[0..9] float32\ninit a[x] = 1\nout a[3]\nout a[*]\nfor i = 1..9 { a[i] = a[i-1] }", diag.Redeclared},
		"rule: a conversion": {`(int|float|uint)\d+\(`, "n[i] = int64(b[i])", "n[i] = int64(b[i])",
			"n[i] = a[i]", diag.TypeMismatch},
		"rule: select": {`select\(`, "a[i] = select(a[i] < b[i], 0, a[i])", "select(a[i] < b[i], 0, a[i])",
			"a[i] = select(a[i], 0, 1)", diag.NotCondition},
		"rule: affine subscripts of given arrays": {`\[2\*i|\[\w-d\+?1?\]|-t\]|\[M-j\]`, "param N = 4\narray f[0..9] float32 in\narray a[0..N] float32 inout\nfor i = 0..N { a[i] = f[2*i+1] }", "f[2*i+1]",
			"param N = 4\narray f[0..9] float32 in\narray a[0..N] float32 inout\nfor i = 0..N { a[i] = f[N*i] }", diag.NotAffine},
		"rule: computed subscripts of given arrays": {`\w+\[[^]]*(\w\[|max\(|int64\(|[%&])`, "array x[0..9] uint8 in\narray f[0..3, 0..9] float32 in\narray a[0..9] float32 inout\nfor i = 1..9 { a[i] = a[i-1] + f[x[i]%4,i] }", "f[x[i]%4,i]",
			"array x[0..9] float32 in\narray f[0..9] float32 in\narray a[0..9] float32 inout\nfor i = 1..9 { a[i] = f[x[i]] }", diag.TypeMismatch},
		"rule: several statements of which the later wins": {`v\[i(,j)?\] = .*\n\tv\[i(,j\+1)?\] = `, "array v[0..9] float32 inout\nfor i = 1..9 {\n\tv[i] = 3\n\tv[i] = v[i] + 1\n}", "v[i] = v2 + 1",
			"a[i] = a[3]", diag.NonUniform},
		"rule: a schedule": {`(?m)^schedule `, "schedule { comm blocking }\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = a[i-1] }", "Comm:blocking",
			"schedule { colour red }\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = a[i-1] }", diag.Schedule},
		"sign: -":       {`= -\w|\(-\w|\*-\w`, "a[i] = -a[i]", "-a[i]", "a[i] = -(a[i] < 1)", diag.NotCondition},
		"sign: +":       {`[-=(] \+\w`, "a[i] = 3 - +a[i]", "3 - a[i]", "a[i] = +(a[i] < 1)", diag.NotCondition},
		"sign: !":       {`!\(`, "a[i] = select(!(a[i] < b[i]), 1, 2)", "!(a[i] < b[i])", "a[i] = !a[i]", diag.NotCondition},
		"type: float32": {`float32`, "array a[0..9] float32 inout\nfor i = 1..9 { a[i] = 0.5*a[i-1] }", "a[0..9] float32", "array d[0..9] float64 in\narray a[0..9] float32 inout\nfor i = 1..9 { a[i] = d[i] }", diag.TypeMismatch},
		"type: float64": {`float64`, "array a[0..9] float64 inout\nfor i = 1..9 { a[i] = 0.5*a[i-1] }", "a[0..9] float64", "array n[0..9] int64 in\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = n[i] }", diag.TypeMismatch},
		"type: int8":    {`\bint8`, "array a[0..9] int8 inout\nfor i = 1..9 { a[i] = a[i-1] - 127 }", "a[0..9] int8", "array a[0..9] int8 inout\nfor i = 1..9 { a[i] = a[i-1] + 128 }", diag.ConstantOverflow},
		"type: int16":   {`\bint16`, "array a[0..9] int16 inout\nfor i = 1..9 { a[i] = a[i-1]/2 }", "a[0..9] int16", "array d[0..9] uint16 in\narray a[0..9] int16 inout\nfor i = 1..9 { a[i] = d[i] }", diag.TypeMismatch},
		"type: int32":   {`\bint32`, "array a[0..9] int32 inout\nfor i = 1..9 { a[i] = a[i-1]/2 }", "a[0..9] int32", "array a[0..9] int32 inout\nfor i = 1..9 { a[i] = 0.5*a[i-1] }", diag.ConstantOverflow},
		"type: int64":   {`int64`, "array a[0..9] int64 inout\nfor i = 1..9 { a[i] = a[i-1] + i }", "a[0..9] int64", "array a[0..9] int64 inout\nfor i = 1..9 { a[i] = a[i-1]/0 }", diag.DivisionByZero},
		"type: uint8":   {`uint8`, "array a[0..9] uint8 inout\nfor i = 1..9 { a[i] = a[i-1] + 255 }", "a[0..9] uint8", "array a[0..9] uint8 inout\nfor i = 1..9 { a[i] = a[i-1] + 256 }", diag.ConstantOverflow},
		"type: uint16":  {`uint16`, "array a[0..9] uint16 inout\nfor i = 1..9 { a[i] = a[i-1] + 65535 }", "a[0..9] uint16", "array d[0..9] int8 in\narray a[0..9] uint16 inout\nfor i = 1..9 { a[i] = d[i] }", diag.TypeMismatch},
	}
	rows["loop: with Step"], rows["repeat: with Until"] = rows["loop: step"], rows["repeat: until"]
	rows["repeat: with Step"] = rows["repeat: step"]
	rows["edge: with Hi"], rows["extern: func"], rows["extern: with Symbol"] = rows["edge: .."], rows["extern: extern"], rows["extern: with Path"]
	for _, op := range []string{"+", "-", "*", "/"} {
		rows["tail: "+op] = construct{`\w\]? ?\` + op + ` ?\w`, "a[i] = a[i-1] " + op + " b[i]", op, "a[i] = a[i-1] " + op + " (b[i] < 1)", diag.NotCondition}
	}
	for _, op := range []string{"+", "-", "*", "/"} {
		full := map[string]string{"+": "a[i] + (a[i-1] - b[i])", "-": "a[i] - (a[i-1] - b[i])", "*": "a[i]*(a[i-1] - b[i])", "/": "a[i]/(a[i-1] - b[i])"}[op]
		rows["assignSign: "+op+"="] = construct{`\t\w+\[[^]]*\] \` + op + `= `, "a[i] " + op + "= a[i-1] - b[i]", "a[i] = " + full, "a[i] " + op + "= b[i] < 1", diag.NotCondition}
	}
	for _, op := range []string{"%", "&", "|", "^", "<<", ">>"} {
		quoted, right, written := regexp.QuoteMeta(op), "3", "n[i-1]"+op+"3"
		if op == "|" || op == "^" {
			written = "n[i-1] " + op + " 3"
		}
		code := diag.TypeMismatch
		if op == "%" || op == "^" { // in other languages they are defined on floats
			code = diag.Foreign
		}
		whole := strings.Replace(written, "n[i-1]", "n[i]", 1)
		rows["tail: "+op] = construct{`[\w\])] ?` + quoted + ` ?\w`, "n[i] = n[i-1] " + op + " " + right, written, "a[i] = a[i-1] " + op + " b[i]", code}
		rows["assignSign: "+op+"="] = construct{`\t\w+\[[^]]*\] ` + quoted + `= `, "n[i] " + op + "= " + right, "n[i] = " + whole, "a[i] " + op + "= 3", diag.TypeMismatch}
	}
	for _, op := range []string{"==", "!=", "<", "<=", ">", ">="} {
		rows["tail: "+op] = construct{` ` + op + ` `, "a[i] = select(a[i-1] " + op + " b[i], 1, 2)", "a[i-1] " + op + " b[i]", "a[i] = a[i-1] " + op + " b[i]", diag.NotCondition}
	}
	for _, op := range []string{"&&", "||"} {
		quoted := map[string]string{"&&": "&&", "||": `\|\|`}[op]
		rows["tail: "+op] = construct{` ` + quoted + ` `, "a[i] = select(a[i-1] < a[i] " + op + " b[i] > a[i], 1, 2)", "a[i-1] < a[i] " + op + " b[i] > a[i]", "a[i] = select(a[i-1] " + op + " b[i] > 2, 1, 2)", diag.NotCondition}
	}
	for _, f := range []string{"sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "floor", "ceil", "round", "trunc"} {
		rows["function: "+f] = construct{`\b` + f + `\(`, "a[i] = " + f + "(b[i])", f + "(b[i])", "n[i] = " + f + "(n[i])", diag.FloatFunction}
	}
	rows["function: pow"] = construct{`\bpow\(`, "a[i] = pow(b[i], a[i-1])", "pow(b[i], a[i-1])", "a[i] = pow(a[i-1])", diag.ValueCount}
	rows["function: abs"] = construct{`\babs\(`, "n[i] = abs(n[i-1])", "abs(n[i-1])", "n[i] = abs(n[i-1], 2)", diag.ValueCount}
	for _, f := range []string{"min", "max"} {
		rows["function: "+f] = construct{`= .*\b` + f + `\(.*,`, "a[i] = " + f + "(a[i-1], b[i], 1)", f + "(a[i-1], b[i], 1)", "a[i] = " + f + "(a[i-1])", diag.ValueCount}
	}
	for _, op := range []string{"max", "min", "sum"} {
		rows["reduction: "+op] = construct{
			`reduce \w+ = ` + op + `\(`, "reduce r = " + op + "(a[i])\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = 0.5*a[i] }", "reduce r = " + op + "(a[i])",
			"reduce r = " + op + "(a[i], 2)\narray a[0..9] float64 inout\nfor i = 1..9 { a[i] = 0.5*a[i] }", diag.Reduction,
		}
	}
	for _, edge := range boundary.Words() {
		file := func(kind string) string {
			return "array a[1..9] float32 in\narray c[1..9] float32 out\nboundary a[" + kind + "]\nfor i = 1..9 { c[i] = a[i-1] + a[i+1] }"
		}
		rows["edge: "+edge] = construct{`boundary .*` + edge, file(edge), "boundary a[" + edge, file(edge + ", " + edge), diag.Dimensions}
	}
	for name, values := range map[string][]string{
		"tile": {"4x-"}, "map": {"j"}, "grid": {"2x1", "1x2"}, "cpus": {"2", "2x1"}, "sub": {"2"},
		"group": ir.ScheduleWords("group"), "assign": ir.ScheduleWords("assign"), "comm": ir.ScheduleWords("comm"), "shape": ir.ScheduleWords("shape"),
	} {
		file := func(value string) string {
			return "schedule { " + name + " " + value + " }\narray a[0..9, 0..9] float64 inout\nfor i = 1..9, j = 1..9 { a[i,j] = 0.5*a[i-1,j] }"
		}
		shown := map[string]string{"tile": "Tile:[4 0]", "map": "Map:j", "grid": "Grid:[2 1]", "cpus": "CPUs:2", "sub": "Sub:2"}[name]
		row := construct{`(?s)schedule \{[^}]*\b` + name + ` \w`, file(values[0]), shown, file("wrong"), diag.Schedule}
		for _, word := range values {
			if shown == "" || row.text == "" {
				row.text = word
				rows["schedule: "+word] = construct{`(?s)schedule \{[^}]*\b` + name + ` ` + word + `\b`, file(word), word, file(word + " " + word), diag.Schedule}
			}
		}
		row.text = max(shown, map[bool]string{true: values[0]}[shown == ""])
		rows["schedule: "+name] = row
	}
	return rows
}
