package load

// failure is why a request was not answered as expected.
type failure uint8

const (
	none         failure = iota
	refused              // no listener, or the network refused
	reset                // the connection was reset
	closed               // the server closed the connection before the reply had arrived
	timedOut             // no whole reply in time
	wrongStatus          // another status than expected
	wrongBody            // another body than expected
	badReply             // not a reply of the protocol
	unaskedReply         // more came than was asked for
	noSocket             // this process could get no descriptor, address or port
	noConnection         // there was no connection left to send on
	failures
)

// failureNames are the words of the report.
var failureNames = [failures]string{
	"", "refused", "reset", "closed", "timed_out", "wrong_status", "wrong_body", "bad_reply", "unasked_reply", "no_socket", "no_connection",
}
