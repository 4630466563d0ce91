/** Whether a text is the name of a network device, as the Linux kernel takes it. */
export const isDeviceName = (text: string): boolean => /^[^\s/:%]{1,15}$/.test(text) && text !== "." && text !== "..";
