package codecs

import (
	"runtime"
	"runtime/debug"
)

func goVersion() string { return runtime.Version() }

// modulePath gives a module with its version as linked, and Go's.
func modulePath(module string) string {
	version := "of unknown version"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				version = dependency.Version
			}
		}
	}
	return module + " " + version + ", " + goVersion()
}
