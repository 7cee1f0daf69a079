import { CliError } from './errors.ts';

/**
 * Selects members of a record, or of each record of a list, by their paths: `pending.code` becomes
 * `{"pending": {"code": …}}`. A member that a record lacks is null.
 *
 * @throws CliError if no record has a member
 */
export function select(data: unknown, fields: readonly string[]): unknown {
  const records = Array.isArray(data) ? data : [data];
  for (const field of fields) {
    const [name = ''] = field.split('.');
    if (records.length > 0 && !records.some((record) => isRecord(record) && Object.hasOwn(record, name))) {
      const known = [...new Set(records.flatMap((record) => (isRecord(record) ? Object.keys(record) : [])))];
      throw new CliError('usage', `There is no member ${name}. The members are: ${known.join(', ')}.`);
    }
  }
  const selected = records.map((record) => pick(record, fields));
  return Array.isArray(data) ? selected : selected[0];
}

function pick(record: unknown, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) {
    const [name = '', ...path] = field.split('.');
    const value = isRecord(record) && Object.hasOwn(record, name) ? record[name] : undefined;
    if (path.length === 0 || !isRecord(value)) picked[name] = value ?? null;
    else {
      const former = picked[name];
      picked[name] = { ...(isRecord(former) ? former : {}), ...pick(value, [path.join('.')]) };
    }
  }
  return picked;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
