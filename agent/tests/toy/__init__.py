"""A driver as the guide has one added (docs/guides/add-a-driver.md): its NFs and packets are figures in memory."""
