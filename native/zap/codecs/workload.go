package codecs

import "fmt"

// Workload is one operation of one codec, over all records in turn, so that
// neither the branch predictor nor the compiler knows what comes next.
type Workload struct {
	codec               Codec
	count               int // of records, a power of two
	requests, responses [][]byte
	step                func(w *Workload, n int) error
	bytes               int64
	buffer              []byte
	// Sink takes what was decoded and how long was what was encoded.
	Sink uint64
}

// NewWorkload makes the operation decode, encode or handler of a codec ready. With
// both, decode and encode are of the request and of the response, one after the
// other; without, they are what a server does, which decodes requests and
// encodes responses.
func NewWorkload(name, operation string, both bool) (*Workload, error) {
	records := Records()
	codec, err := New(name, records)
	if err != nil {
		return nil, err
	}
	w := &Workload{codec: codec, count: len(records), buffer: make([]byte, 0, 512)}
	for i := range records {
		for kind, encode := range []func([]byte, int) ([]byte, error){codec.EncodeRequest, codec.EncodeResponse} {
			wire, err := encode(nil, i)
			if err != nil {
				return nil, err
			}
			wire = append(make([]byte, 0, len(wire)), wire...)
			if kind == 0 {
				w.requests = append(w.requests, wire)
			} else {
				w.responses = append(w.responses, wire)
			}
		}
	}
	request, response := int64(len(w.requests[0])), int64(len(w.responses[0]))
	switch operation {
	case "decode":
		w.step, w.bytes = (*Workload).decode, request
	case "encode":
		w.step, w.bytes = (*Workload).encode, response
	case "handler":
		w.step, w.bytes = (*Workload).handle, request+response
	default:
		return nil, fmt.Errorf("codecs: the operation is decode, encode or handler, and not %q", operation)
	}
	if both && operation == "decode" {
		w.step, w.bytes = (*Workload).decodeBoth, request+response
	}
	if both && operation == "encode" {
		w.step, w.bytes = (*Workload).encodeBoth, request+response
	}
	return w, nil
}

// Path is the codec's.
func (w *Workload) Path() string { return w.codec.Path() }

// Bytes is what one operation would put on the wire.
func (w *Workload) Bytes() int64 { return w.bytes }

// Run does the operation n times.
func (w *Workload) Run(n int) error { return w.step(w, n) }

func (w *Workload) decode(n int) error {
	codec, wires, sink := w.codec, w.requests, w.Sink
	for i := range n {
		sum, err := codec.DecodeRequest(wires[i&(len(wires)-1)])
		if err != nil {
			return err
		}
		sink += sum
	}
	w.Sink = sink
	return nil
}

func (w *Workload) decodeBoth(n int) error {
	codec, sink := w.codec, w.Sink
	for i := range n {
		i &= w.count - 1
		request, err := codec.DecodeRequest(w.requests[i])
		if err != nil {
			return err
		}
		response, err := codec.DecodeResponse(w.responses[i])
		if err != nil {
			return err
		}
		sink += request + response
	}
	w.Sink = sink
	return nil
}

func (w *Workload) encode(n int) error {
	codec, buffer, sink := w.codec, w.buffer, w.Sink
	for i := range n {
		wire, err := codec.EncodeResponse(buffer[:0], i&(w.count-1))
		if err != nil {
			return err
		}
		sink += last(wire)
	}
	w.Sink = sink
	return nil
}

func (w *Workload) encodeBoth(n int) error {
	codec, buffer, sink := w.codec, w.buffer, w.Sink
	for i := range n {
		i &= w.count - 1
		request, err := codec.EncodeRequest(buffer[:0], i)
		if err != nil {
			return err
		}
		sink += last(request)
		response, err := codec.EncodeResponse(buffer[:0], i)
		if err != nil {
			return err
		}
		sink += last(response)
	}
	w.Sink = sink
	return nil
}

func (w *Workload) handle(n int) error {
	codec, buffer, wires, sink := w.codec, w.buffer, w.requests, w.Sink
	for i := range n {
		wire, err := codec.Handle(buffer[:0], wires[i&(len(wires)-1)])
		if err != nil {
			return err
		}
		sink += last(wire)
	}
	w.Sink = sink
	return nil
}
