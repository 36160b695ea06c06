package serve

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"
)

// message is one turn of a chat.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// chatRequest is what a client of a chat completion sends; other members are
// passed over.
type chatRequest struct {
	Model       string    `json:"model"`
	Messages    []message `json:"messages"`
	Temperature float64   `json:"temperature"`
	MaxTokens   int       `json:"max_tokens"`
}

type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
}

type choice struct {
	Index   int     `json:"index"`
	Message message `json:"message"`
	Reason  string  `json:"finish_reason"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// chat is the handler that does real work: it parses a chat, counts its words
// and answers with the last user's words. There is no clock and no random
// number in it, so every server gives the same bytes. It allocates.
func chat(r *Reply, body []byte) {
	var request chatRequest
	if err := json.Unmarshal(body, &request); err != nil {
		r.fail(400, "the body is not a chat in JSON")
		return
	}
	if request.Model == "" || len(request.Messages) == 0 {
		r.fail(400, "a chat needs a model and at least one message")
		return
	}
	said, words := "", 0
	digest := fnv.New64a()
	for _, m := range request.Messages {
		words += len(strings.Fields(m.Content))
		digest.Write([]byte(m.Content))
		if m.Role == "user" {
			said = m.Content
		}
	}
	answered := len(strings.Fields(said))
	reply := completion{
		ID:      "chatcmpl-" + strconv.FormatUint(digest.Sum64(), 16),
		Object:  "chat.completion",
		Model:   request.Model,
		Choices: []choice{{Message: message{Role: "assistant", Content: said}, Reason: "stop"}},
		Usage:   usage{Prompt: words, Completion: answered, Total: words + answered},
	}
	out := bytes.NewBuffer(r.Buffer[:0])
	if err := json.NewEncoder(out).Encode(reply); err != nil {
		r.fail(500, "the reply cannot be written as JSON")
		return
	}
	r.Buffer = out.Bytes()
	r.Set(200, JSON, r.Buffer)
}
