import { useQuery } from '@tanstack/react-query';
import { rolesQuery } from '../../api/access.ts';
import { Select } from '../../ui/field.tsx';

export function RoleSelect({ value, choose }: { value: string; choose: (role: string) => void }) {
  const roles = useQuery(rolesQuery());
  return (
    <Select
      label="Role"
      required
      hint={roles.data?.find(({ role }) => role === value)?.description}
      value={value}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">Choose…</option>
      {roles.data?.map(({ role }) => (
        <option key={role} value={role}>
          {role}
        </option>
      ))}
    </Select>
  );
}
