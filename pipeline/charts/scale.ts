/** Round values from 0 up to `largest`, in steps of 1, 2, 2.5 or 5 times a power of ten, so that there are about `steps` steps or fewer. */
export function ticks(largest: number, steps: number): number[] {
  if (!(largest > 0)) return [0];
  const rough = largest / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const count = Math.floor((largest / step) * (1 + 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Powers of ten within `smallest` and `largest`; with 2 and 5 times each when there would be fewer than two. Both ends are above zero. */
export function powers(smallest: number, largest: number): number[] {
  const within = (factors: readonly number[]): number[] => {
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(smallest)); power <= Math.log10(largest); power += 1) found.push(...factors.map((factor) => Number((factor * 10 ** power).toPrecision(3))));
    return found.filter((value) => value >= smallest && value <= largest);
  };
  const whole = within([1]);
  return whole.length > 1 ? whole : within([1, 2, 5]);
}
