/**
 * Preloaded (`node --import`) into every process that the local system starts: when the supervisor
 * goes away, even by kill -9, the channel to it closes and this process ends as well.
 * Processes in production are started without it.
 */
process.on('disconnect', () => {
  process.exit(1);
});
// A listener alone would keep a process running that has finished its work.
process.channel?.unref();
