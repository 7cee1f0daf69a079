import type { Project } from '../../api/person.ts';
import { Select } from '../../ui/field.tsx';

/** Where a role holds: on the project, or on all of its organization. */
export function PlaceSelect({
  project,
  value,
  choose,
}: {
  project: Project;
  value: string;
  choose: (resourceId: string) => void;
}) {
  return (
    <Select
      label="Where"
      hint="A role holds on the record that it is given on, and on all below it."
      value={value}
      onChange={({ target }) => choose(target.value)}
    >
      <option value={project.uid}>In the project {project.name}</option>
      <option value={project.organizationId}>In all of the organization {project.organizationId}</option>
    </Select>
  );
}
