import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** An attribute of an identity. If `ecert` is set, certificates contain it by default. */
export interface CaAttribute {
  name: string;
  value: string;
  ecert: boolean;
}

export interface CaIdentity {
  id: string;
  /** The type in the certificate: `client`, `peer`, `admin`, `orderer` or another type. */
  type: string;
  /** Segments joined by dots; empty is the root affiliation. */
  affiliation: string;
  attributes: readonly CaAttribute[];
  /** -1 if unlimited. */
  maxEnrollments: number;
  enrollments: number;
  revoked: boolean;
  failedLogins: number;
  /** The enrollment secret as `hashSecret` returns it. */
  secret: string;
}

export interface IssuedCertificate {
  /** Lowercase hexadecimal without leading zeros, like `aki`. */
  serial: string;
  aki: string;
  /** Id of the identity that owns the certificate. */
  id: string;
  revokedAt: Date | undefined;
}

export interface Identities {
  find(id: string): CaIdentity | undefined;
  /** Returns false if the id is taken. */
  add(
    identity: Pick<CaIdentity, 'id' | 'type' | 'affiliation' | 'attributes' | 'maxEnrollments' | 'secret'>,
  ): boolean;
  /** Counts an enrollment. Returns false if none remain. */
  takeEnrollment(id: string): boolean;
  /** Undoes the count of a failed enrollment. */
  returnEnrollment(id: string): void;
  countFailedLogin(id: string): void;
  clearFailedLogins(id: string): void;
  revoke(id: string): void;
  addCertificate(serial: string, aki: string, id: string): void;
  findCertificate(serial: string, aki: string): IssuedCertificate | undefined;
  certificatesOf(id: string): IssuedCertificate[];
  revokeCertificate(serial: string, aki: string): void;
  revokedCertificates(): IssuedCertificate[];
  close(): void;
}

const schema = `
  create table if not exists identity (
    id text primary key, secret text not null, type text not null, affiliation text not null,
    attributes text not null, max_enrollments integer not null, enrollments integer not null default 0,
    revoked integer not null default 0, failed_logins integer not null default 0
  ) strict;
  create table if not exists certificate (
    serial text not null, aki text not null, id text not null references identity (id), revoked_at integer,
    primary key (serial, aki)
  ) strict;`;

interface IdentityRow {
  id: string;
  secret: string;
  type: string;
  affiliation: string;
  attributes: string;
  max_enrollments: number;
  enrollments: number;
  revoked: number;
  failed_logins: number;
}

interface CertificateRow {
  serial: string;
  aki: string;
  id: string;
  revoked_at: number | null;
}

/** Opens the CA's database: `fabric-ca.sqlite` in the directory, or in memory. */
export function openIdentities(directory: string | undefined): Identities {
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const database = new Database(directory === undefined ? ':memory:' : join(directory, 'fabric-ca.sqlite'));
  database.pragma('synchronous = full');
  database.exec(schema);

  const find = database.prepare<[string], IdentityRow>('select * from identity where id = ?');
  const certificates = 'select serial, aki, id, revoked_at from certificate';
  const findCertificate = database.prepare<[string, string], CertificateRow>(
    `${certificates} where serial = ? and aki = ?`,
  );
  const run = (sql: string, ...values: (string | number)[]) =>
    database.prepare(sql).run(...values).changes > 0;

  return {
    find(id) {
      const row = find.get(id);
      return row === undefined ? undefined : identity(row);
    },
    add(one) {
      return run(
        `insert into identity (id, secret, type, affiliation, attributes, max_enrollments) values (?, ?, ?, ?, ?, ?)
         on conflict do nothing`,
        ...[one.id, one.secret, one.type, one.affiliation],
        ...[JSON.stringify(one.attributes), one.maxEnrollments],
      );
    },
    takeEnrollment: (id) =>
      run(
        `update identity set enrollments = enrollments + 1
         where id = ? and revoked = 0 and (max_enrollments = -1 or enrollments < max_enrollments)`,
        id,
      ),
    returnEnrollment: (id) => void run('update identity set enrollments = enrollments - 1 where id = ?', id),
    countFailedLogin: (id) =>
      void run('update identity set failed_logins = failed_logins + 1 where id = ?', id),
    clearFailedLogins: (id) => void run('update identity set failed_logins = 0 where id = ?', id),
    revoke: (id) => void run('update identity set revoked = 1 where id = ?', id),
    addCertificate: (serial, aki, id) =>
      void run('insert into certificate (serial, aki, id) values (?, ?, ?)', serial, aki, id),
    findCertificate(serial, aki) {
      const row = findCertificate.get(serial, aki);
      return row === undefined ? undefined : certificate(row);
    },
    certificatesOf: (id) =>
      database.prepare<[string], CertificateRow>(`${certificates} where id = ?`).all(id).map(certificate),
    revokeCertificate: (serial, aki) =>
      void run(
        'update certificate set revoked_at = ? where serial = ? and aki = ? and revoked_at is null',
        ...[Date.now(), serial, aki],
      ),
    revokedCertificates: () =>
      database
        .prepare<[], CertificateRow>(`${certificates} where revoked_at is not null`)
        .all()
        .map(certificate),
    close: () => void database.close(),
  };
}

function identity(row: IdentityRow): CaIdentity {
  return {
    ...{ id: row.id, type: row.type, affiliation: row.affiliation, secret: row.secret },
    // Only `add` writes this column.
    attributes: JSON.parse(row.attributes) as CaAttribute[],
    ...{ maxEnrollments: row.max_enrollments, enrollments: row.enrollments },
    ...{ revoked: row.revoked !== 0, failedLogins: row.failed_logins },
  };
}

function certificate(row: CertificateRow): IssuedCertificate {
  const revokedAt = row.revoked_at === null ? undefined : new Date(row.revoked_at);
  return { serial: row.serial, aki: row.aki, id: row.id, revokedAt };
}
