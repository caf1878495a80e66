package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// count returns the text of an integer with thousands separators: 16,384.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for k := len(s) - 3; k > 0; k -= 3 {
		s = s[:k] + "," + s[k:]
	}
	return sign + s
}

// plural returns text such as "1 rank", "4 ranks".
func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return count(n) + " " + what + "s"
}

// scaled returns the text of x with three significant digits and the prefix that fits.
func scaled(x float64, unit string, prefixes []string, factor float64) string {
	k := 0
	for math.Abs(x) >= factor*0.9995 && k < len(prefixes)-1 {
		x /= factor
		k++
	}
	return digits(x) + " " + prefixes[k] + unit
}

// digits returns the text of x with three significant digits, and without decimals from 100 on.
func digits(x float64) string {
	switch a := math.Abs(x); {
	case a >= 99.95:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case a > 0 && a < 0.0995:
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// seconds returns the text of a time: 1.20 s, 34.5 ms, 6.70 µs, 1.63 ns.
func seconds(t float64) string {
	switch a := math.Abs(t); {
	case a < 1e-15:
		return "0 s"
	case a >= 0.9995:
		return digits(t) + " s"
	}
	return scaled(t*1e12, "s", []string{"p", "n", "µ", "m", ""}, 1000)
}

// lengthText returns the text of a length: 512 B, 4.00 KiB.
func lengthText(n int64) string {
	if n < 1024 && n > -1024 {
		return fmt.Sprintf("%d B", n)
	}
	return scaled(float64(n), "B", []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}, 1024)
}

// number returns the text of an amount with a decimal prefix: 12.0 GB.
func number(x float64, unit string) string {
	return scaled(x, unit, []string{"", "k", "M", "G", "T", "P"}, 1000)
}

// percent returns the text of a fraction: 12.3 %.
func percent(x float64) string {
	p := 100 * x
	if math.Abs(p) >= 99.95 {
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}

// printable replaces characters that a terminal would interpret: control characters, and
// characters that change the direction of writing.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '�'
		}
		return r
	}, s)
}
