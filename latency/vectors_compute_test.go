package latency

import (
	"math"
	"testing"
)

type computation func(t *testing.T, v vector) map[string]any

// computations says which call computes a vector's function.
var computations = map[string]computation{
	"norm_isf": func(t *testing.T, v vector) map[string]any {
		return map[string]any{"z": NormalSurvivalQuantile(v.in(t, "q"))}
	},
	"norm_sf": func(t *testing.T, v vector) map[string]any {
		return map[string]any{"sf": NormalSurvival(v.in(t, "z"))}
	},
	"norm_log_sf": func(t *testing.T, v vector) map[string]any {
		return map[string]any{"log_sf": NormalLogSurvival(v.in(t, "z"))}
	},
	"fit_two_quantiles": func(t *testing.T, v vector) map[string]any {
		l, err := v.quantiles(t)
		return lognormalOr(t, l, err)
	},
	"fit_quantiles_ols": computeLeastSquares,
	"exceed":            computeExceed,
	"exceed_degenerate": computeExceed,
	"quantile": func(t *testing.T, v vector) map[string]any {
		l, err := v.quantiles(t)
		if err != nil {
			return problem(t, err)
		}
		return map[string]any{"value": l.Quantile(1 - v.in(t, "q"))}
	},
	"exceed_params": func(t *testing.T, v vector) map[string]any {
		return map[string]any{"p": v.lognormal(t).Survival(v.in(t, "T"))}
	},
	"quantile_params": func(t *testing.T, v vector) map[string]any {
		return map[string]any{"value": v.lognormal(t).Quantile(v.in(t, "upper_tail"))}
	},
	"lost_floor": func(t *testing.T, v vector) map[string]any {
		return map[string]any{"p_never": LostFloor(v.in(t, "lost_request"), v.in(t, "lost_reply"))}
	},
	"limited_mean": func(t *testing.T, v vector) map[string]any {
		return map[string]any{"v": v.lognormal(t).LimitedMean(v.in(t, "T"))}
	},
	"hist_quantile": func(t *testing.T, v vector) map[string]any {
		value, _ := v.histogram(t).Quantile(v.in(t, "q"))
		return map[string]any{"v": value}
	},
	"fraction_above": func(t *testing.T, v vector) map[string]any {
		return map[string]any{"p": v.histogram(t).FractionAbove(v.in(t, "T"))}
	},
	"fit_mle":          computeFit,
	"fit_mle_censored": computeCensored,
	"fit_mle_truncated": func(t *testing.T, v vector) map[string]any {
		fit, err := FitTruncated(v.histogram(t), v.in(t, "T"))
		if err != nil {
			return problem(t, err)
		}
		return map[string]any{"mu": fit.Mu, "sigma": fit.Sigma, "p": fit.Survival(v.in(t, "T"))}
	},
	"local_probit": func(t *testing.T, v vector) map[string]any {
		p, lower, upper := LocalProbit(v.histogram(t), v.in(t, "T"))
		return map[string]any{"p": p, "lo": lower, "hi": upper}
	},
	"hard_bracket":      computeBracket,
	"clopper_pearson":   computeClopperPearson,
	"cp_compare":        computeComparison,
	"fit_mix2":          computeMixture,
	"choose_components": computeComponents,
	"se_log_p99": func(t *testing.T, v vector) map[string]any {
		return map[string]any{"se": LogP99StandardError(v.in(t, "sigma"), v.in(t, "N"))}
	},
	"rule_of_three": func(t *testing.T, v vector) map[string]any {
		return map[string]any{"N": float64(RuleOfThree(v.in(t, "p"), v.in(t, "conf")))}
	},
	"recommend_timeout": computeRecommendation,
}

func lognormalOr(t *testing.T, l Lognormal, err error) map[string]any {
	if err != nil {
		return problem(t, err)
	}
	return map[string]any{"mu": l.Mu, "sigma": l.Sigma}
}

func computeLeastSquares(t *testing.T, v vector) map[string]any {
	var points []QuantilePoint
	for _, pair := range v.Input["quantiles"].([]any) {
		p := nums(t, pair)
		points = append(points, QuantilePoint{p[0], p[1]})
	}
	l, err := FitQuantiles(points...)
	return lognormalOr(t, l, err)
}

func computeExceed(t *testing.T, v vector) map[string]any {
	l, err := v.quantiles(t)
	if err != nil {
		return problem(t, err)
	}
	p, err := l.FalseTimeoutRatio(v.in(t, "T"))
	if err != nil {
		return problem(t, err)
	}
	return map[string]any{"p": p, "degenerate": l.PointMass(), "per_day_at_400000": p * 400000}
}

func computeFit(t *testing.T, v vector) map[string]any {
	fit, err := FitBinned(v.histogram(t))
	if err != nil {
		return problem(t, err)
	}
	return map[string]any{
		"mu": fit.Mu, "sigma": fit.Sigma, "se_mu": fit.SEMu, "se_sigma": fit.SESigma,
		"p": fit.Survival(v.in(t, "T")),
	}
}

func computeCensored(t *testing.T, v vector) map[string]any {
	h, timeout := v.histogram(t), v.in(t, "T")
	naive, err := FitBinned(h)
	if err != nil {
		return problem(t, err)
	}
	fit, err := FitCensored(h, timeout)
	got := map[string]any{"naive_p": naive.Survival(timeout)}
	if v.Input["mode"] == "not_recorded_with_counter" {
		timeouts := v.in(t, "timeout_counter")
		fit, err = FitWithTimeouts(h, timeout, timeouts)
		got["p_direct"] = timeouts / (timeouts + h.Total())
	}
	if err != nil {
		return problem(t, err)
	}
	got["mu"], got["sigma"], got["p"] = fit.Mu, fit.Sigma, fit.Survival(timeout)
	return got
}

func computeBracket(t *testing.T, v vector) map[string]any {
	h := v.histogram(t)
	sure, possible := h.CountAbove(v.in(t, "T"))
	confidence := 1 - v.in(t, "alpha_each_side")
	return map[string]any{
		"lo": BinomialLower(sure, h.Total(), confidence),
		"hi": BinomialUpper(possible, h.Total(), confidence),
	}
}

func computeClopperPearson(t *testing.T, v vector) map[string]any {
	k, n, confidence := v.in(t, "k"), v.in(t, "n"), 1-v.in(t, "alpha_each_side")
	return map[string]any{"lo": BinomialLower(k, n, confidence), "hi": BinomialUpper(k, n, confidence)}
}

func computeComparison(t *testing.T, v vector) map[string]any {
	k, n, confidence := v.in(t, "k_above_T"), v.in(t, "n"), v.in(t, "one_sided_conf")
	lower, upper := BinomialLower(k, n, confidence), BinomialUpper(k, n, confidence)
	verdict := "uncertain"
	switch target := v.in(t, "target"); {
	case lower > target:
		verdict = "below_p99"
	case upper < target:
		verdict = "at_or_above_p99"
	}
	return map[string]any{"lo": lower, "hi": upper, "verdict": verdict}
}

func computeMixture(t *testing.T, v vector) map[string]any {
	h, timeout := v.histogram(t), v.in(t, "T")
	got := computeComponents(t, v)
	single, err := FitBinned(h)
	if err != nil {
		return problem(t, err)
	}
	pair, err := FitMixture(h)
	if err != nil {
		t.Fatal(err)
	}
	probit, _, _ := LocalProbit(h, timeout)
	for key, value := range map[string]float64{
		"local_probit": probit, "loglik1": single.LogLikelihood, "loglik2": pair.LogLikelihood,
		"mu": single.Mu, "sigma": single.Sigma, "mu1": pair.First.Mu, "mu2": pair.Second.Mu,
		"sigma1": pair.First.Sigma, "sigma2": pair.Second.Sigma, "w2": pair.Weight,
		"p_mix": pair.Survival(timeout), "p_single": single.Survival(timeout),
		"tail_ratio_at": single.Misfit.TailRatioAt,
	} {
		got[key] = value
	}
	return got
}

func computeComponents(t *testing.T, v vector) map[string]any {
	h := v.histogram(t)
	single, err := FitBinned(h)
	if err != nil {
		return problem(t, err)
	}
	pair, err := FitMixture(h)
	if err != nil {
		t.Fatal(err)
	}
	components := 1.0
	if pair.Chosen(single) {
		components = 2
	}
	return map[string]any{
		"components": components, "ks_single": single.Misfit.KS, "tail_ratio_single": single.Misfit.TailRatio,
	}
}

// computeRecommendation checks the quantile; what a policy makes of it is
// package retry's.
func computeRecommendation(t *testing.T, v vector) map[string]any {
	value := v.lognormal(t).Quantile(v.in(t, "target")) * (1 + v.in(t, "headroom"))
	if math.IsNaN(value) {
		t.Fatal("NaN")
	}
	return map[string]any{"unclipped": value, "T": value, "clipped": false}
}
