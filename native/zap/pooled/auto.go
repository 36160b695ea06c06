package pooled

// AutoBytes is the body length from which WritevAuto does not copy.
const AutoBytes = 16 << 10
