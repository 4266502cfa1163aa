package web

import (
	"net/url"
	"strconv"
)

// filter is what the address asks the overview for. Empty is everything.
type filter struct {
	Search, Owner, Caller, Verdict, Status, Sort string
	Page                                         int // from 1
}

func filterFrom(v url.Values) filter {
	f := filter{
		Search: v.Get("q"), Owner: v.Get("owner"), Caller: v.Get("caller"),
		Verdict: v.Get("verdict"), Status: v.Get("status"), Sort: v.Get("sort"), Page: 1,
	}
	if _, known := sortOrders()[f.Sort]; !known {
		f.Sort = ""
	}
	if n, err := strconv.Atoi(v.Get("page")); err == nil && n > 1 {
		f.Page = n
	}
	return f
}

// Narrow reports whether the filter leaves anything out.
func (f filter) Narrow() bool {
	return f.Search != "" || f.Owner != "" || f.Caller != "" || f.Verdict != "" || f.Status != ""
}

// query is the filter as part of an address: "" or "?…".
func (f filter) query() string {
	v := url.Values{}
	for name, value := range map[string]string{
		"q": f.Search, "owner": f.Owner, "caller": f.Caller, "verdict": f.Verdict, "status": f.Status, "sort": f.Sort,
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if f.Page > 1 {
		v.Set("page", strconv.Itoa(f.Page))
	}
	if len(v) == 0 {
		return ""
	}
	return "?" + v.Encode()
}

// Sorted is the address of the same rows in another order.
func (f filter) Sorted(order string) string {
	f.Sort, f.Page = order, 1
	return f.address()
}

// On is the address of another page of the same rows.
func (f filter) On(page int) string {
	f.Page = page
	return f.address()
}

// Only is the address of all rows with one verdict.
func (f filter) Only(v verdict) string {
	f.Verdict, f.Page = string(v), 1
	return f.address()
}

// address is relative to the overview itself.
func (f filter) address() string {
	if query := f.query(); query != "" {
		return query
	}
	return "?"
}
