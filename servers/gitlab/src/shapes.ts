// The fields of results: what a reader needs, without the addresses of the API. All optional ones may be missing, because servers of GitLab are
// older and younger than this list.
import { z } from 'zod';

const text = z.string().nullish();
const count = z.number().nullish();
const flag = z.boolean().nullish();

const user = z.object({ id: z.number(), username: z.string(), name: text, state: text, web_url: text }).nullish();
const milestone = z
  .object({
    id: z.number(),
    iid: count,
    title: z.string(),
    description: text,
    state: text,
    due_date: text,
    web_url: text,
  })
  .nullish();
/** A name, or an object if the details of labels were asked for. */
const label = z.union([z.string(), z.object({ id: count, name: z.string(), color: text, description: text })]);

const project = {
  id: z.number(),
  name: z.string(),
  path_with_namespace: z.string(),
  web_url: z.string(),
};

export const PROJECT_SHAPE = z.object({
  ...project,
  description: text,
  visibility: text,
  owner: user,
  ssh_url_to_repo: text,
  http_url_to_repo: text,
  default_branch: text,
  topics: z.array(z.string()).nullish(),
  archived: flag,
  star_count: count,
  forks_count: count,
  open_issues_count: count,
  created_at: text,
  last_activity_at: text,
});

export const FORK_SHAPE = PROJECT_SHAPE.extend({
  import_status: text,
  forked_from_project: z.object({ ...project, owner: user }).nullish(),
});

export const ENTRY_SHAPE = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  path: z.string(),
  mode: text,
});

export const FILE_SHAPE = z.object({
  file_name: z.string(),
  file_path: z.string(),
  size: z.number(),
  encoding: text,
  content: text,
  content_sha256: text,
  ref: text,
  blob_id: text,
  commit_id: text,
  last_commit_id: text,
  execute_filemode: flag,
});

export const COMMIT_SHAPE = z.object({
  id: z.string(),
  short_id: text,
  title: text,
  message: text,
  author_name: text,
  author_email: text,
  authored_date: text,
  committer_name: text,
  committer_email: text,
  committed_date: text,
  parent_ids: z.array(z.string()).nullish(),
  web_url: text,
  stats: z.object({ additions: count, deletions: count, total: count }).nullish(),
});

export const CHANGED_FILE_SHAPE = z.object({ file_path: z.string(), branch: z.string() });

export const BRANCH_SHAPE = z.object({
  name: z.string(),
  default: flag,
  protected: flag,
  web_url: text,
  commit: COMMIT_SHAPE.nullish(),
});

/** Fields that issues and merge requests have. */
const discussed = {
  id: z.number(),
  iid: z.number(),
  project_id: count,
  title: z.string(),
  description: text,
  state: z.string(),
  web_url: z.string(),
  author: user,
  assignees: z.array(user).nullish(),
  labels: z.array(label).nullish(),
  milestone,
  user_notes_count: count,
  created_at: text,
  updated_at: text,
  closed_at: text,
};

export const ISSUE_SHAPE = z.object({ ...discussed, issue_type: text, due_date: text, confidential: flag });

export const MERGE_REQUEST_SHAPE = z.object({
  ...discussed,
  source_branch: z.string(),
  target_branch: z.string(),
  draft: flag,
  reviewers: z.array(user).nullish(),
  detailed_merge_status: text,
  sha: text,
  merged_at: text,
  merge_commit_sha: text,
  diff_refs: z.object({ base_sha: text, head_sha: text, start_sha: text }).nullish(),
});
