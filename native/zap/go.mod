module nullius/zap

go 1.27

require (
	github.com/goccy/go-json v0.12.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)
