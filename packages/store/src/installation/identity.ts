/** Identity of a SQLite database, by its location. Unknown parts are null. */
export interface SqliteIdentity {
  readonly kind: 'sqlite';
  /** Path with all symbolic links resolved. */
  readonly path: string;
  readonly device: string;
  readonly inode: string;
  /** When the file was created, in milliseconds since the epoch. */
  readonly createdAt: number | null;
  /**
   * Hash of the machine's id. Null in a container, whose machine id changes when the container is replaced.
   */
  readonly machine: string | null;
  /** Public address of the service, if one is configured. */
  readonly address: string | null;
}

/** Identity of a PostgreSQL database, by its location. Unknown parts are null. */
export interface PostgresIdentity {
  readonly kind: 'postgres';
  /**
   * The cluster's system identifier. Standbys and physical copies have the same one. Some hosting services do not
   * permit reading it.
   */
  readonly system: string | null;
  /** Oid of the database. No other database of the cluster has the same one. */
  readonly database: number;
  /** Oid of the table `installation`. It changes when a dump is restored, because the table is then created again. */
  readonly table: number;
  /** Name of the database in messages. */
  readonly name: string;
}

export type DatabaseIdentity = SqliteIdentity | PostgresIdentity;

/**
 * Compares the recorded identity of a database with its current identity. Returns a description of the difference if
 * this is another database; undefined if it seems to be the same one.
 */
export function differenceOf(recorded: DatabaseIdentity, now: DatabaseIdentity): string | undefined {
  if (recorded.kind === 'postgres' && now.kind === 'postgres') return differenceOfPostgres(recorded, now);
  if (recorded.kind === 'sqlite' && now.kind === 'sqlite') return differenceOfSqlite(recorded, now);
  const name = { sqlite: 'a SQLite file', postgres: 'a PostgreSQL database' };
  return `the installation used ${name[recorded.kind]}, but this is ${name[now.kind]}`;
}

/**
 * Returns the identity to record when the database is used again: the current one, with recorded values for parts that
 * are currently unknown.
 */
export function renewedIdentity(recorded: DatabaseIdentity | null, now: DatabaseIdentity): DatabaseIdentity {
  const known = Object.fromEntries(Object.entries(now).filter(([, value]) => value !== null));
  return { ...now, ...recorded, ...known };
}

/** A failover changes none of these parts. `pg_upgrade` changes only the system identifier. */
function differenceOfPostgres(recorded: PostgresIdentity, now: PostgresIdentity): string | undefined {
  if (areOther(recorded.system, now.system)) {
    return `it is in the PostgreSQL cluster ${now.system}, but the installation used ${recorded.system}`;
  }
  if (recorded.database !== now.database) {
    return `it is the database ${now.name} (oid ${now.database}), but the installation used ${recorded.name} (oid ${recorded.database})`;
  }
  if (recorded.table === now.table) return undefined;
  return `its tables were created again in the database ${now.name}, as happens when a dump is restored`;
}

/**
 * If the path differs, it is another database, unless the file is the same, because paths do not change by themselves.
 * If the path is the same, it is another database only if the file differs and so does the machine or the address: a
 * restarted container may have another machine id, and some volumes assign new inodes when they are mounted.
 */
function differenceOfSqlite(recorded: SqliteIdentity, now: SqliteIdentity): string | undefined {
  const isSameFile = recorded.inode === now.inode && !areOther(recorded.createdAt, now.createdAt);
  const isOtherMachine = areOther(recorded.machine, now.machine);
  const isOtherAddress = areOther(recorded.address, now.address);
  if (recorded.path !== now.path) {
    if (isSameFile && recorded.device === now.device && !isOtherMachine) return undefined;
    return `it is ${now.path}, but the installation used ${recorded.path}`;
  }
  if (isSameFile || !(isOtherMachine || isOtherAddress)) return undefined;
  const where = isOtherMachine ? 'on another machine' : `with the address ${now.address}`;
  return `it is another file at ${now.path} ${where}, not the file that the installation used`;
}

/** Whether two values are known and differ. An identity that an older version recorded lacks some parts. */
function areOther<Value>(one: Value | null | undefined, other: Value | null): boolean {
  return one !== null && one !== undefined && other !== null && one !== other;
}
