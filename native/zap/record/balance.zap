// The call eth_getBalance as typed records. A field takes eight bytes of the
// fixed section, in this order; text and bytes are slots.

message BalanceRequest {
	id      uint64;
	block   uint64;
	method  text;
	account bytes;
}

message BalanceResponse {
	id        uint64;
	balance   uint64;
	nonce     uint64;
	blockHash bytes;
}
