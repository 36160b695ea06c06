package serve

// Reason gives the phrase of a status that our servers answer with, RFC 9110
// section 15, and nothing for others.
func Reason(status int) []byte { return reasons[status] }

var reasons = map[int][]byte{
	200: []byte("OK"),
	400: []byte("Bad Request"),
	404: []byte("Not Found"),
	405: []byte("Method Not Allowed"),
	413: []byte("Content Too Large"),
	500: []byte("Internal Server Error"),
	503: []byte("Service Unavailable"),
}
