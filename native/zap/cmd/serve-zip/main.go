// Command serve-zip answers the routes of package serve over HTTP by package
// zip, with an access log where it is asked for.
package main

import (
	"errors"
	"flag"
	"io"
	"os"

	"nullius/zap/serve"
	"nullius/zap/web"
)

func main() {
	var log, path string
	define := func(flags *flag.FlagSet) {
		flags.StringVar(&log, "log", "off", "access log, on or off")
		flags.StringVar(&path, "log-file", os.DevNull, "`file` that the access log is appended to")
	}
	serve.Main("serve-zip", define, func(o serve.Options) (serve.Server, error) {
		if log != "on" && log != "off" {
			return nil, errors.New("--log must be on or off")
		}
		var out io.Writer
		if log == "on" {
			file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
			if err != nil {
				return nil, err
			}
			out = file
		}
		return web.NewZip(o, out), nil
	})
}
