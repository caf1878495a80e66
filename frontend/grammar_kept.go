package frontend

import (
	"encoding/binary"
	"reflect"
	"sync"
)

// A file is compiled again with each of its hints, and its declarations with each of its nests, so that most statements come
// again at the same place. Their trees are kept. A tree has many users, so nobody changes it.

// mostKept bounds how many tokens the statements have whose trees are kept, of all files together: the more, the more memory.
const mostKept = 1 << 14

// keptTrees has the trees of statements that were parsed lately. Tests compile files side by side.
type keptTrees struct {
	access sync.Mutex
	trees  map[string]any
	tokens int
}

var kept keptTrees

// tree returns the tree with a key; nil if it is not kept.
func (k *keptTrees) tree(key string) any {
	k.access.Lock()
	defer k.access.Unlock()
	return k.trees[key]
}

// keep keeps the tree of a statement of some tokens. When there are too many, all others go.
func (k *keptTrees) keep(key string, tokens int, tree any) {
	k.access.Lock()
	defer k.access.Unlock()
	if k.tokens += tokens; k.trees == nil || k.tokens > mostKept {
		k.trees, k.tokens = map[string]any{}, tokens
	}
	k.trees[key] = tree
}

// keyOf has all that a tree of type T depends on: the kinds, texts and places of its tokens; "" for more tokens than are kept.
func keyOf[T any](tokens []token) string {
	if len(tokens) > mostKept/16 {
		return ""
	}
	key := append(make([]byte, 0, 32+10*len(tokens)), reflect.TypeFor[T]().Name()...)
	for _, t := range tokens {
		key = binary.AppendVarint(key, int64(t.kind))
		key = binary.AppendVarint(key, int64(t.pos.Line))
		key = binary.AppendVarint(key, int64(t.pos.Col))
		key = binary.AppendVarint(key, int64(len(t.text)))
		key = append(key, t.text...)
	}
	return string(key)
}
