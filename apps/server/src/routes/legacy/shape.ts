import type { PointerMap } from '../../http/problems/pointers.ts';

/** The value of a member of a deprecated record: a member of the current record, or computed from the record. */
type Member<Current> = keyof Current | ((record: Current) => unknown);

/** Conversion of a current record to a deprecated one. */
export interface Shape<Current, Members> {
  /** Returns the deprecated record. */
  present(record: Current): { [Name in keyof Members]: unknown };
  /** Maps pointers of members that have another name in the current record. */
  readonly pointers: PointerMap;
  /** Sort keys of the deprecated list, with the names of the current list. */
  sortKeys(...names: (keyof Members & string)[]): Record<string, string>;
}

/**
 * Declares the members of a deprecated record. Responses, sort keys and pointers are derived from `members`.
 * `resourceId` duplicates another member, so pointers never name it.
 */
export function shapeOf<Current>() {
  return <const Members extends Readonly<Record<string, Member<Current>>>>(
    members: Members,
  ): Shape<Current, Members> => {
    const entries = Object.entries<Member<Current>>(members);
    const renamed = entries.flatMap(([name, member]) =>
      typeof member === 'function' || name === 'resourceId'
        ? []
        : [[`/${String(member)}`, `/${name}`] as const],
    );
    return {
      present: (record) =>
        // `Object.fromEntries` loses the member names.
        Object.fromEntries(
          entries.map(([name, member]) => [
            name,
            typeof member === 'function' ? member(record) : record[member],
          ]),
        ) as { [Name in keyof Members]: unknown },
      pointers: renamed.filter(([from, to]) => from !== to),
      sortKeys: (...names) =>
        Object.fromEntries(
          names.map((name) => {
            const member = members[name];
            return [name, typeof member === 'string' ? member : name];
          }),
        ),
    };
  };
}

/** Removes null members. A deprecated body may contain null, a current one may not. */
export function withoutNulls<Body extends Record<string, unknown>>(body: Body) {
  // `Object.fromEntries` loses the member types; the filter removed null and undefined.
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null && value !== undefined),
  ) as { [Name in keyof Body]: Exclude<Body[Name], null> | (null extends Body[Name] ? undefined : never) };
}
