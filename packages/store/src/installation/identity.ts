/** Where a SQLite file is. Null: not known. */
export interface SqliteIdentity {
  readonly kind: 'sqlite';
  /** Without symbolic links. */
  readonly path: string;
  readonly device: string;
  readonly inode: string;
  /** When the file was created, in milliseconds since the epoch. */
  readonly createdAt: number | null;
  /** Hash of the machine's id. Containers have none that survives them. */
  readonly machine: string | null;
  /** Public address of the service, if one is configured. */
  readonly address: string | null;
}

/** Where a PostgreSQL database is. Null: not known. */
export interface PostgresIdentity {
  readonly kind: 'postgres';
  /**
   * The cluster's system identifier, which standbys and physical copies share. Some services do not permit reading it.
   */
  readonly system: string | null;
  /** Oid of the database: other databases have other oids, even in the same cluster. */
  readonly database: number;
  /** Oid of the table `installation`: restoring a dump creates the table again. */
  readonly table: number;
  /** For messages. */
  readonly name: string;
}

export type DatabaseIdentity = SqliteIdentity | PostgresIdentity;

/**
 * Compares the recorded identity of a database with its identity now. Returns how they differ if this is another
 * database; undefined if it is the same one, as far as can be seen.
 */
export function differenceOf(recorded: DatabaseIdentity, now: DatabaseIdentity): string | undefined {
  if (recorded.kind === 'postgres' && now.kind === 'postgres') return differenceOfPostgres(recorded, now);
  if (recorded.kind === 'sqlite' && now.kind === 'sqlite') return differenceOfSqlite(recorded, now);
  const name = { sqlite: 'a SQLite file', postgres: 'a PostgreSQL database' };
  return `the installation used ${name[recorded.kind]}, and this is ${name[now.kind]}`;
}

/**
 * The identity to record when the database is used again: parts that may drift are renewed, and parts that are not known now
 * stay as they were.
 */
export function renewedIdentity(recorded: DatabaseIdentity | null, now: DatabaseIdentity): DatabaseIdentity {
  const known = Object.fromEntries(Object.entries(now).filter(([, value]) => value !== null));
  return { ...now, ...recorded, ...known };
}

/** Failovers keep all parts. `pg_upgrade` changes the system identifier only. */
function differenceOfPostgres(recorded: PostgresIdentity, now: PostgresIdentity): string | undefined {
  if (areOther(recorded.system, now.system)) {
    return `it is in the PostgreSQL cluster ${now.system}, and the installation used ${recorded.system}`;
  }
  if (recorded.database !== now.database) {
    return `it is the database ${now.name} (oid ${now.database}), and the installation used ${recorded.name} (oid ${recorded.database})`;
  }
  if (recorded.table === now.table) return undefined;
  return `its tables were created again in the database ${now.name}, as a restored dump does`;
}

/**
 * At the same path, two independent signs are needed: a restarted container may have another machine id, and some volumes
 * assign new inodes when they are mounted. A path changes only if somebody changes it, unless it is the same file.
 */
function differenceOfSqlite(recorded: SqliteIdentity, now: SqliteIdentity): string | undefined {
  const isSameFile = recorded.inode === now.inode && !areOther(recorded.createdAt, now.createdAt);
  const isOtherMachine = areOther(recorded.machine, now.machine);
  const isOtherAddress = areOther(recorded.address, now.address);
  if (recorded.path !== now.path) {
    if (isSameFile && recorded.device === now.device && !isOtherMachine) return undefined;
    return `it is ${now.path}, and the installation used ${recorded.path}`;
  }
  if (isSameFile || !(isOtherMachine || isOtherAddress)) return undefined;
  const where = isOtherMachine ? 'on another machine' : `with the address ${now.address}`;
  return `it is another file at ${now.path} ${where}, not the file that the installation used`;
}

/** Whether two values are known and differ. An identity that an older version recorded lacks newer parts. */
function areOther<Value>(one: Value | null | undefined, other: Value | null): boolean {
  return one !== null && one !== undefined && other !== null && one !== other;
}
