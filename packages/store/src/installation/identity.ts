/** Location of a SQLite file. A member is null if it is unknown. */
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

/** Location of a PostgreSQL database. A member is null if it is unknown. */
export interface PostgresIdentity {
  readonly kind: 'postgres';
  /**
   * The cluster's system identifier, which standbys and physical copies share. Some services do not permit reading it.
   */
  readonly system: string | null;
  /** Oid of the database. Other databases have other oids, even in the same cluster. */
  readonly database: number;
  /**
   * Oid of the table `installation`. It changes when a dump is restored, because this creates the table
   * again.
   */
  readonly table: number;
  /** For messages. */
  readonly name: string;
}

export type DatabaseIdentity = SqliteIdentity | PostgresIdentity;

/**
 * Compares the recorded identity of a database with its identity now. Returns the difference if this is
 * another database; undefined if it seems to be the same database.
 */
export function differenceOf(recorded: DatabaseIdentity, now: DatabaseIdentity): string | undefined {
  if (recorded.kind === 'postgres' && now.kind === 'postgres') return differenceOfPostgres(recorded, now);
  if (recorded.kind === 'sqlite' && now.kind === 'sqlite') return differenceOfSqlite(recorded, now);
  const name = { sqlite: 'a SQLite file', postgres: 'a PostgreSQL database' };
  return `the installation used ${name[recorded.kind]}, but this is ${name[now.kind]}`;
}

/**
 * Returns the identity to record when the database is used again. Updates parts that may change. Keeps the
 * recorded values of parts that are currently unknown.
 */
export function renewedIdentity(recorded: DatabaseIdentity | null, now: DatabaseIdentity): DatabaseIdentity {
  const known = Object.fromEntries(Object.entries(now).filter(([, value]) => value !== null));
  return { ...now, ...recorded, ...known };
}

/** Failovers keep all parts. `pg_upgrade` changes the system identifier only. */
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
 * Another path means another database, unless the file is the same, because paths do not change by
 * themselves. The same path means another database only if both the file and the machine or address differ. A
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

/**
 * Whether two values are known and differ. An identity that was recorded by an older version lacks the newer
 * parts.
 */
function areOther<Value>(one: Value | null | undefined, other: Value | null): boolean {
  return one !== null && one !== undefined && other !== null && one !== other;
}
