/** The example of figures 5.7 and 5.20: two users at four tasks. */
export const taskNames = ["NT1", "NT2", "NT3", "NT4"] as const;
/** What each task can do in an epoch, in the figure's units. */
export const taskUnits = [10, 10, 7, 10];
/** Parts of a user's packets that go through each task. A user's DAGs take the tasks of each entry in turn. */
export const mixes = {
  first: [[0, 1, 2, 3], [0, 1, 2], [0, 1], [1]],
  second: [[3, 1], [3]],
} as const;
export type UserName = keyof typeof mixes;
export const userNames = Object.keys(mixes) as UserName[];
export const partOf = (user: UserName, task: number): number =>
  mixes[user].filter(m => (m as readonly number[]).includes(task)).length / mixes[user].length;
/** Bytes that each user is offered in an epoch, in units. */
export type Load = Readonly<Record<UserName, number>>;
