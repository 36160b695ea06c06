// Program serve-pooled answers the routes over ZAP with the server of package
// pooled.
package main

import (
	"errors"
	"flag"

	"nullius/zap/pooled"
	"nullius/zap/serve"
)

func main() {
	writev := pooled.WritevAuto
	serve.Main("serve-pooled", func(flags *flag.FlagSet) {
		flags.Func("writev", "which bodies are written without copying: on, off or auto (default auto)", func(text string) error {
			writev = pooled.Writev(text)
			if writev != pooled.WritevOn && writev != pooled.WritevOff && writev != pooled.WritevAuto {
				return errors.New("it must be on, off or auto")
			}
			return nil
		})
	}, func(o serve.Options) (serve.Server, error) { return pooled.FromOptions(o, writev), nil })
}
