module accept-go

go 1.24
