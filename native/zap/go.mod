module nullius/zap

go 1.27
