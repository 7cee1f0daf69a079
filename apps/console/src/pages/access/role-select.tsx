import { useGrantableRoles } from '../../api/access.ts';
import { Choice } from '../../ui/field.tsx';

/** The roles that the user may grant on a resource. */
export function RoleSelect({
  resourceId,
  at,
  value,
  choose,
}: {
  resourceId: string;
  /** JSON pointer of the role in the request. */
  at: string;
  value: string;
  choose: (role: string) => void;
}) {
  const roles = useGrantableRoles(resourceId);
  const role = roles?.find((one) => one.role === value);
  return (
    <Choice
      label="Role"
      at={at}
      hint={
        roles?.length === 0
          ? 'You cannot grant a role on this record: only people who have a role’s permissions can grant it.'
          : (role?.description ?? 'You can grant only roles whose permissions you have.')
      }
      value={role === undefined ? '' : value}
      set={choose}
      options={roles?.map((one) => [one.role, one.role])}
    />
  );
}
