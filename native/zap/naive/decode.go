package naive

// Decode reads a request message, without its length prefix, as the server
// does: for comparing it with another decoder.
func Decode(message []byte) (Request, error) {
	var r Request
	err := r.decode(message)
	return r, err
}
