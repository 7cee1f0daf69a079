import { smallestUnit } from './format.ts';

/**
 * The unit in which users read and type a number, and the number of decimals of the stored integer in this
 * unit.
 */
export interface Unit {
  readonly name: string;
  readonly decimals: number;
}

/** Returns the `x-unit` of a JSON Schema; undefined if it has none. */
export function unitOf(schema: Readonly<Record<string, unknown>>): Unit | undefined {
  const unit = schema['x-unit'];
  if (typeof unit !== 'object' || unit === null || !('name' in unit) || !('decimals' in unit))
    return undefined;
  const { name, decimals } = unit;
  return typeof name === 'string' && typeof decimals === 'number' ? { name, decimals } : undefined;
}

/**
 * Returns a stored number in its unit, without the unit's name: 500 ms as `0.5` seconds. Other strings are
 * returned unchanged.
 */
export function shownNumber(stored: string, unit: Unit | undefined): string {
  if (unit === undefined || unit.decimals === 0 || !/^\d+$/.test(stored)) return stored;
  const digits = stored.padStart(unit.decimals + 1, '0');
  const whole = digits.slice(0, -unit.decimals);
  const part = digits.slice(-unit.decimals).replace(/0+$/, '');
  return part === '' ? whole : `${whole}.${part}`;
}

/** Returns the number to store for the entered text; undefined if it is not a number, or has too many decimals. */
export function storedNumber(typed: string, unit: Unit | undefined): string | undefined {
  return unit === undefined || unit.decimals === 0 ? typed : smallestUnit(typed, unit.decimals);
}
