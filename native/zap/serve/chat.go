package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/fnv"
	"strconv"
	"strings"
)

// ChatMessage is one turn of a chat.
type ChatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ChatRequest is what a client of a chat completion sends; other members are
// passed over.
type ChatRequest struct {
	Model       string        `json:"model"`
	Messages    []ChatMessage `json:"messages"`
	Temperature float64       `json:"temperature"`
	MaxTokens   int           `json:"max_tokens"`
}

// Completion is what it gets.
type Completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []Choice `json:"choices"`
	Usage   Usage    `json:"usage"`
}

// Choice is one answer of a completion.
type Choice struct {
	Index   int         `json:"index"`
	Message ChatMessage `json:"message"`
	Reason  string      `json:"finish_reason"`
}

// Usage counts words as if they were tokens.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// errChat is said of a chat that cannot be completed.
var errChat = errors.New("a chat needs a model and at least one message")

// Complete is the handler that does real work: it counts a chat's words and
// answers with the last user's words. There is no clock and no random number in
// it, so every server gives the same bytes.
func Complete(request *ChatRequest) (Completion, error) {
	if request.Model == "" || len(request.Messages) == 0 {
		return Completion{}, errChat
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
	return Completion{
		ID:      "chatcmpl-" + strconv.FormatUint(digest.Sum64(), 16),
		Object:  "chat.completion",
		Model:   request.Model,
		Choices: []Choice{{Message: ChatMessage{Role: "assistant", Content: said}, Reason: "stop"}},
		Usage:   Usage{Prompt: words, Completion: answered, Total: words + answered},
	}, nil
}

// chat reads a chat and writes its completion, both as JSON. It allocates.
func chat(r *Reply, body []byte) {
	var request ChatRequest
	if err := json.Unmarshal(body, &request); err != nil {
		r.fail(400, "the body is not a chat in JSON")
		return
	}
	reply, err := Complete(&request)
	if err != nil {
		r.fail(400, err.Error())
		return
	}
	out := bytes.NewBuffer(r.Buffer[:0])
	if err := json.NewEncoder(out).Encode(reply); err != nil {
		r.fail(500, "the reply cannot be written as JSON")
		return
	}
	r.Buffer = out.Bytes()
	r.Set(200, JSON, r.Buffer)
}
