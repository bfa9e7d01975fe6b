/** Predictions in force, fetched while something shows them. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { predictionsQuery } from "@/api/prediction-queries";
import { asProblem } from "@/api/problem";
import type { Problem } from "@/api/types";
import { type Forecasts, forecastsOf } from "./predictions";

export interface Predictions {
  /** Undefined where nobody asked, or before the first answer. */
  readonly forecasts: Forecasts | undefined;
  /** Why they are not known. */
  readonly problem: Problem | null;
}

/** Of one host, or of the whole fleet. */
export function usePredictions(asked: boolean, host?: string): Predictions {
  const { data, error } = useQuery({ ...predictionsQuery(host), enabled: asked });
  const forecasts = useMemo(() => (asked && data ? forecastsOf(data) : undefined), [asked, data]);
  return { forecasts, problem: asked && error ? asProblem(error) : null };
}
