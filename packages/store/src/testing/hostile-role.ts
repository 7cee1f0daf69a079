import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withClient } from './postgres-server.ts';

/**
 * Settings that every connection of the store sets itself, each with the most harmful value that a role can have.
 * Times are in milliseconds.
 */
export const hostileSettings: readonly (readonly [name: string, value: string])[] = [
  ['statement_timeout', '1'],
  ['lock_timeout', '1'],
  ['transaction_timeout', '1'],
  ['idle_in_transaction_session_timeout', '1'],
  ['idle_session_timeout', '1'],
  ['default_transaction_isolation', 'serializable'],
  ['default_transaction_read_only', 'on'],
  ['default_transaction_deferrable', 'on'],
  ['synchronous_commit', 'off'],
  ['search_path', 'missing, public'],
  ['exit_on_error', 'on'],
  ['row_security', 'on'],
  ['client_encoding', 'LATIN1'],
  ['standard_conforming_strings', 'off'],
  ['array_nulls', 'off'],
  ['transform_null_equals', 'on'],
  ['bytea_output', 'escape'],
  ['datestyle', 'German, DMY'],
  ['intervalstyle', 'sql_standard'],
  ['timezone', 'Pacific/Kiritimati'],
  ['extra_float_digits', '-15'],
];

/** Settings that connections do not change, because they do not affect results. */
export const harmlessSettings: readonly (readonly [name: string, value: string])[] = [
  ['backslash_quote', 'off'],
  ['escape_string_warning', 'off'],
  ['check_function_bodies', 'off'],
  ['client_min_messages', 'error'],
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_seqscan', 'off'],
  ['enable_indexscan', 'off'],
  ['enable_bitmapscan', 'off'],
  ['enable_hashjoin', 'off'],
  ['work_mem', '64'],
  ['temp_file_limit', '16MB'],
  ['jit_above_cost', '0'],
  ['xmloption', 'document'],
  ['xmlbinary', 'hex'],
  ['default_toast_compression', 'pglz'],
  ['join_collapse_limit', '1'],
  ['geqo_threshold', '2'],
  ['quote_all_identifiers', 'on'],
  ['cursor_tuple_fraction', '0'],
  ['parallel_setup_cost', '0'],
  ['min_parallel_table_scan_size', '0'],
  ['application_name', 'another name'],
  ['tcp_keepalives_idle', '1'],
  ['timezone_abbreviations', 'India'],
  ['default_text_search_config', 'pg_catalog.german'],
  ['default_statistics_target', '1'],
  ['vacuum_freeze_min_age', '0'],
  ['client_connection_check_interval', '1'],
  ['lo_compat_privileges', 'on'],
];

/**
 * Returns the rights that a server needs if another role creates and updates the schema: only rights on rows. They are
 * the same as in docs/operations.md.
 */
const grants = (role: string) => [
  `grant usage on schema public to ${role}`,
  `grant select, insert, update, delete on all tables in schema public to ${role}`,
];

/**
 * A role of a database that may only read and write rows.
 *
 * It exists until `drop` is called.
 */
export class HostileRole {
  readonly #adminUrl: string;
  readonly #name: string;
  readonly url: string;

  private constructor(adminUrl: string, name: string, url: string) {
    this.#adminUrl = adminUrl;
    this.#name = name;
    this.url = url;
  }

  /** @param adminUrl URL of the database, with a superuser */
  static async create(adminUrl: string): Promise<HostileRole> {
    const name = `hostile_${randomBytes(6).toString('hex')}`;
    await withClient(adminUrl, async (client) => {
      await client.query(`create role ${name} login password '${name}'`);
      for (const grant of grants(name)) await client.query(grant);
    });
    const url = Object.assign(new URL(adminUrl), { username: name, password: name }).href;
    return new HostileRole(adminUrl, name, url);
  }

  /** Sets a setting for all later connections of the role. */
  async set(setting: string, value: string): Promise<void> {
    // A list, such as a search path, must not be quoted: PostgreSQL would read it as one value.
    const text = value.includes(',') ? value : pg.escapeLiteral(value);
    await withClient(this.#adminUrl, (client) =>
      client.query(`alter role ${this.#name} set ${setting} = ${text}`),
    );
  }

  async drop(): Promise<void> {
    await withClient(this.#adminUrl, async (client) => {
      await client.query(`drop owned by ${this.#name}`);
      await client.query(`drop role ${this.#name}`);
    });
  }
}
