import { expect, it } from 'vitest';
import {
  builtInRoles,
  governingPermission,
  permissions,
  permissionTable,
  readPermission,
  resourceTypes,
} from '../index.ts';

it('every permission belongs to a resource type, has a one-sentence description, and is listed once', () => {
  for (const { permission, description } of permissions) {
    const [type, verb] = permission.split(':');
    expect(resourceTypes).toContain(type);
    expect(verb).toMatch(/^[a-z]+$/);
    expect(description).toMatch(/^[A-Z].*\.$/);
  }
  expect(new Set(permissions.map(({ permission }) => permission)).size).toBe(permissions.length);
});

it('every resource type has an existing read permission', () => {
  const known = permissions.map(({ permission }) => permission);
  for (const type of resourceTypes) expect(known).toContain(readPermission(type));
});

it('wallet permissions govern cloud wallets', () => {
  expect(governingPermission('cloud-wallet:transact')).toBe('wallet:transact');
  expect(governingPermission('wallet:transact')).toBe('wallet:transact');
  expect(permissions.filter(({ permission }) => permission.startsWith('cloud-wallet:'))).toEqual([]);
});

it('built-in roles hold only existing permissions, each once', () => {
  const known = new Set(permissions.map(({ permission }) => permission));
  for (const role of builtInRoles) {
    expect(role.permissions.filter((permission) => !known.has(permission))).toEqual([]);
    expect(new Set(role.permissions).size).toBe(role.permissions.length);
  }
});

it('only administrators hold permissions on the installation', () => {
  for (const { name, permissions: held } of builtInRoles) {
    const ofInstallation = held.some((p) => p.startsWith('system:') || p === 'organization:create');
    expect([name, ofInstallation]).toEqual([name, name === 'administrator']);
  }
});

it('viewers hold only read permissions', () => {
  for (const role of builtInRoles.filter(({ name }) => name === 'viewer')) {
    expect(role.permissions.every((permission) => permission.endsWith(':read'))).toBe(true);
  }
});

it('the permission table contains every permission and every role', () => {
  const table = permissionTable();
  for (const { permission, description } of permissions) {
    expect(table).toContain(`| \`${permission}\` | ${description} |`);
  }
  for (const { name } of builtInRoles) expect(table).toContain(`\`${name}\``);
  const columns = table
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('|').length);
  expect(new Set(columns).size).toBeLessThanOrEqual(3);
});
