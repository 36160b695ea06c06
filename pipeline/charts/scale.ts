/** Round values from 0 up to `largest`, in steps of 1, 2, 2.5 or 5 times a power of ten, so that there are about `steps` steps or fewer. */
export function ticks(largest: number, steps: number): number[] {
  if (!(largest > 0)) return [0];
  const rough = largest / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const count = Math.floor((largest / step) * (1 + 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Powers of ten from the last at or below `smallest` to the first at or above `largest`, two at least. Both ends are above zero. */
export function powers(smallest: number, largest: number): number[] {
  const first = Math.floor(Math.log10(smallest) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(largest) - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, index) => Number((10 ** (first + index)).toPrecision(12)));
}
