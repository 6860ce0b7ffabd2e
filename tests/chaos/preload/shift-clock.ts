/**
 * Loaded first (`node --import`): shifts this process's clock by `CHAOS_CLOCK_SHIFT_MS`. Timers and
 * `performance.now()` are unaffected, as on a machine with a wrong clock.
 */
const shiftMs = Number(process.env['CHAOS_CLOCK_SHIFT_MS'] ?? 0);
const RealDate = Date;
const now = (): number => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget: new () => object) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, property, receiver) =>
    property === 'now' ? now : Reflect.get(target, property, receiver),
});
