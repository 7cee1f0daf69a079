import { permissions } from './permissions.ts';
import { type BuiltInRole, builtInRoles, type RoleType } from './roles.ts';

/**
 * Returns the permissions and the built-in roles that hold them, as Markdown for the reference documentation.
 */
export function permissionTable(): string {
  return `${[rolesTable(), matrix('IDENTITY'), matrix('APP')].join('\n\n')}\n`;
}

function rolesTable(): string {
  return table(
    ['Role', 'Held by', 'For'],
    builtInRoles.map((role) => [`\`${role.name}\``, holderOf(role), role.description]),
  );
}

function matrix(roleType: RoleType): string {
  const roles = builtInRoles.filter((role) => role.roleType === roleType);
  const held = roles.map((role) => new Set<string>(role.permissions));
  return table(
    ['Permission', 'Allows', ...roles.map((role) => `\`${role.name}\` (${holderOf(role)})`)],
    permissions.map(({ permission, description }) => [
      `\`${permission}\``,
      description,
      ...held.map((set) => (set.has(permission) ? 'yes' : '')),
    ]),
  );
}

function holderOf({ roleType }: BuiltInRole): string {
  return roleType === 'IDENTITY' ? 'identity' : 'app';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
