// Command build builds the pinned servers and tools into the cache that tests
// use, and shows how far it is:
//
//	go run ./tools/build                             # those that most tests need
//	go run ./tools/build prometheus alertmanager     # these
//	go run ./tools/build --print golangci-lint       # and print where they are
//	go run ./tools/build kube-apiserver etcd kubectl # only on demand: minutes more
//
// It refuses names that it does not know and does nothing where the cache has
// a binary already. Progress goes to standard error, so that the output of
// --print, a path a line in the order of the names, can be used in a script.
package main
