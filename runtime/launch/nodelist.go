package launch

import (
	"fmt"
	"strconv"
	"strings"
)

const maxHosts = 1 << 16

// HostList expands a list of hosts in Slurm's notation: names separated by commas, in which
// brackets hold numbers and ranges, such as n[1-3,07],login. Leading zeros give the width
// of a range's numbers.
func HostList(text string) ([]string, error) {
	var hosts []string
	for rest := text; ; {
		name, after := cutOutside(rest)
		more, err := expand(name, maxHosts-len(hosts))
		if err != nil {
			return nil, fmt.Errorf("launch: hosts %.200q: %w", text, err)
		}
		hosts = append(hosts, more...)
		if after == "" {
			return hosts, nil
		}
		rest = after[1:]
	}
}

// cutOutside cuts text before the first comma that is not within brackets.
func cutOutside(text string) (name, after string) {
	inside := false
	for k := range len(text) {
		switch text[k] {
		case '[':
			inside = true
		case ']':
			inside = false
		case ',':
			if !inside {
				return text[:k], text[k:]
			}
		}
	}
	return text, ""
}

// expand returns the names for which a name with brackets stands. A larger number of names
// than most is an error.
func expand(name string, most int) ([]string, error) {
	prefix, rest, ok := strings.Cut(name, "[")
	if !ok {
		if err := CheckHost(name); err != nil {
			return nil, err
		}
		if most < 1 {
			return nil, fmt.Errorf("more than %d hosts", maxHosts)
		}
		return []string{name}, nil
	}
	inside, suffix, ok := strings.Cut(rest, "]")
	if !ok {
		return nil, fmt.Errorf("%q lacks a ]", name)
	}
	var hosts []string
	for part := range strings.SplitSeq(inside, ",") {
		lo, hi, isRange := strings.Cut(part, "-")
		if !isRange {
			hi = lo
		}
		first, err := bracketNumber(lo)
		if err != nil {
			return nil, err
		}
		last, err := bracketNumber(hi)
		if err != nil {
			return nil, err
		}
		if last < first || last-first >= most {
			return nil, fmt.Errorf("the range %q is empty, or has more than %d hosts", part, maxHosts)
		}
		for k := first; k <= last; k++ {
			more, err := expand(fmt.Sprintf("%s%0*d%s", prefix, len(lo), k, suffix), most-len(hosts))
			if err != nil {
				return nil, err
			}
			hosts = append(hosts, more...)
		}
	}
	return hosts, nil
}

// bracketNumber reads a number of at most nine digits.
func bracketNumber(text string) (int, error) {
	if text == "" || len(text) > 9 || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return strconv.Atoi(text)
}

// CheckHost returns an error unless name can be the name or address of a host, perhaps with
// a user before an @: letters, digits, dots, hyphens, underscores, and for addresses colons
// and a zone. Such a name is safe as an argument of another program: it is neither a flag
// nor several words.
func CheckHost(name string) error {
	user, host, ok := strings.Cut(name, "@")
	if !ok {
		user, host = "user", name
	}
	if len(name) > 255 || !isWord(user, "._-") || !isWord(host, "._-:%") {
		return fmt.Errorf("%.100q is not the name of a host", name)
	}
	return nil
}

// isWord says whether text consists of letters, digits and the other characters,
// and begins with a letter, a digit or a colon.
func isWord(text, others string) bool {
	for k, r := range text {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		case !strings.ContainsRune(others, r), k == 0 && r != ':':
			return false
		}
	}
	return text != ""
}
