package frontend

import (
	"encoding/binary"
	"reflect"
	"slices"
	"sync"
)

// A file is compiled again with each of its hints, and its declarations with each of its nests, so that most statements come
// again at the same place. Their trees are kept. A tree has many users, so nobody changes it.

// mostKept bounds how many tokens the statements have whose trees are kept, of all files together: the more, the more memory.
const mostKept = 1 << 14

// keptTrees has the trees of statements that were parsed lately. Tests compile files side by side.
type keptTrees struct {
	access sync.Mutex
	trees  map[string]keptTree
	tokens int
}

// A keptTree is the tree of some tokens, on all of which it depends.
type keptTree struct {
	of   []token
	tree any
}

var kept keptTrees

// tree returns the tree with a key that was made of these tokens; nil if it is not kept.
func (k *keptTrees) tree(key string, tokens []token) any {
	k.access.Lock()
	defer k.access.Unlock()
	if x := k.trees[key]; slices.Equal(x.of, tokens) {
		return x.tree
	}
	return nil
}

// keep keeps the tree of a statement. When there are too many tokens, all other trees go.
func (k *keptTrees) keep(key string, tokens []token, tree any) {
	k.access.Lock()
	defer k.access.Unlock()
	if k.tokens += len(tokens); k.trees == nil || k.tokens > mostKept {
		k.trees, k.tokens = map[string]keptTree{}, len(tokens)
	}
	k.trees[key] = keptTree{slices.Clone(tokens), tree}
}

// keyOf tells most trees apart: by their types, their first lines, and the texts of their tokens. It is "" for more tokens than
// are kept.
func keyOf[T any](tokens []token) string {
	if len(tokens) == 0 || len(tokens) > mostKept/16 {
		return ""
	}
	key := append(make([]byte, 0, 32+6*len(tokens)), reflect.TypeFor[T]().Name()...)
	key = binary.AppendVarint(key, int64(tokens[0].pos.Line))
	for _, t := range tokens {
		key = append(append(key, t.text...), 0)
	}
	return string(key)
}
