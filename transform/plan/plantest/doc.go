// Package plantest has nests and plans for the tests of package plan and of the packages below
// it: small nests of given distances, random nests whose iterations are enumerated, and random
// options and plans for them. Programs never import it.
package plantest
